"""The words of days, by language. What they mean together is `rootcall.evidence.dates.grammar`'s.

A line `category value: word word` gives words their category; `_` stands for a blank inside a word of several parts, a
word may have several categories, and `~` marks abbreviations that are days only in company of another part ("sun").
English and Korean are covered well, German, Spanish, French, Japanese and Chinese in their common forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["EASTERN", "LATIN", "TENS", "Entries"]

Entries = Mapping[str, tuple[tuple[str, object], ...]]

TENS: Final = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}

_EN: Final = """
the : the
of : of
in : in
on : on
at : at
from : from starting starting_from starting_on beginning_on
to : to until till thru through up_to - – — ~
and : and &
between : between
for : for
after : after following
before : before prior_to
ago : ago back
few : few a_few several
business : business working
half : half
hence : hence from_now from_today
later : later earlier
timew : time
dash : - –
sep : - /
pafter : after_next
every : every each
approx : around about approximately roughly
within : within
a : a an
closest : closest nearest
time : noon midday midnight
comma : ,
open : (
close : )
wd 0: monday mon~ mondy
wd 1: tuesday tue tues tuesdy
wd 2: wednesday wed~ weds wednsday
wd 3: thursday thu thur thurs thrusday
wd 4: friday fri
wd 5: saturday sat~
wd 6: sunday sun~
wds 0: mondays
wds 1: tuesdays
wds 2: wednesdays
wds 3: thursdays
wds 4: fridays
wds 5: saturdays
wds 6: sundays
mon 1: january jan
mon 2: february feb
mon 3: march mar
mon 4: april apr
mon 5: may
mon 6: june jun
mon 7: july jul
mon 8: august aug
mon 9: september sept sep
mon 10: october oct
mon 11: november nov
mon 12: december dec
unit day: day days
unit night: night nights
unit week: week weeks wk wks
unit fortnight: fortnight fortnights
unit month: month months
unit quarter: quarter quarters
unit year: year years yr yrs
unit weekend: weekend weekends week-end
unit season: season seasons
season 0: spring
season 1: summer
season 2: autumn
season 3: winter
rel 0: today tonight
rel 1: tomorrow tomorrows tmrw tmr tomorow
rel -1: yesterday
rel 2: overmorrow
mod next: next
mod this: this current
mod last: last past previous
mod coming: coming this_coming the_coming upcoming forthcoming
mod following: following
part : morning afternoon evening night noon eve
edge start: beginning start early
edge middle: middle mid
edge end: end late
edge rest: rest remainder
edge all: all whole entire
bom start: bom
bom end: eom
boy start: boy
boy end: eoy
num 0: zero
num 1: one
num 2: two couple couple_of a_couple_of a_couple
num 3: three
num 4: four
num 5: five
num 6: six
num 7: seven
num 8: eight
num 9: nine
num 10: ten
num 11: eleven
num 12: twelve
num 13: thirteen
num 14: fourteen
num 15: fifteen
num 16: sixteen
num 17: seventeen
num 18: eighteen
num 19: nineteen
ord 1: first
ord 2: second
ord 3: third
ord 4: fourth
ord 5: fifth
ord 6: sixth
ord 7: seventh
ord 8: eighth
ord 9: ninth
ord 10: tenth
ord 11: eleventh
ord 12: twelfth
ord 13: thirteenth
ord 14: fourteenth
ord 15: fifteenth
ord 16: sixteenth
ord 17: seventeenth
ord 18: eighteenth
ord 19: nineteenth
ord 20: twentieth
ord 30: thirtieth
ord -1: last final
ord -2: penultimate
vague : christmas christmas_eve christmas_day xmas new_year's new_year's_day new_year's_eve new_year new_years easter thanksgiving halloween valentine's_day black_friday labor_day memorial_day
vague : same_day following_day next_day previous_day prior_day other_day day_after day_before same_date following_date next_morning following_morning days_later weeks_later months_later day_later week_later month_later day_earlier days_earlier weeks_earlier
vague : asap as_soon_as_possible soon
"""

_DE: Final = """
the : der die das den dem
of : des der vom von im
in : in
on : am an
at : um
from : vom von ab
to : bis bis_zum bis_zur
and : und
between : zwischen
for : für
after : nach nach_dem nach_der
before : vor vor_dem vor_der
preago : vor
few : paar ein_paar einigen
later : später früher
every : jeden jede jedes
a : ein eine einen einem einer eines
wd 0: montag mo~
wd 1: dienstag di~
wd 2: mittwoch mi~
wd 3: donnerstag do~
wd 4: freitag fr~
wd 5: samstag sonnabend sa~
wd 6: sonntag so~
wds 0: montags
wds 1: dienstags
wds 2: mittwochs
wds 3: donnerstags
wds 4: freitags
wds 5: samstags
wds 6: sonntags
mon 1: januar jänner jan
mon 2: februar feber feb
mon 3: märz maerz mär
mon 4: april apr
mon 5: mai
mon 6: juni jun
mon 7: juli jul
mon 8: august aug
mon 9: september sept sep
mon 10: oktober okt
mon 11: november nov
mon 12: dezember dez
unit day: tag tage tagen tages
unit night: nacht nächte nächten
unit week: woche wochen
unit month: monat monate monaten monats
unit quarter: quartal quartale quartals
unit year: jahr jahre jahren jahres
unit weekend: wochenende wochenenden
season 0: frühling frühjahr
season 1: sommer
season 2: herbst
season 3: winter
rel 0: heute
rel 1: morgen
rel -1: gestern
rel 2: übermorgen uebermorgen
rel -2: vorgestern
mod next: nächste nächsten nächster nächstes nächstem naechste naechsten
mod this: diese diesen dieser dieses diesem
mod last: letzte letzten letzter letztes letztem vergangene vergangenen vergangener vergangenes vorige vorigen voriger
mod coming: kommende kommenden kommender kommendes
mod after: übernächste übernächsten übernächster übernächstes
part : morgen früh vormittag mittag nachmittag abend nacht
edge start: anfang
edge middle: mitte
edge end: ende
num 1: eins
num 2: zwei
num 3: drei
num 4: vier
num 5: fünf
num 6: sechs
num 7: sieben
num 8: acht
num 9: neun
num 10: zehn
num 11: elf
num 12: zwölf
num 14: vierzehn
num 20: zwanzig
num 30: dreißig
ord 1: erste ersten erster erstes
ord 2: zweite zweiten zweiter zweites
ord 3: dritte dritten dritter
ord 4: vierte vierten vierter
ord 5: fünfte fünften
ord -1: letzte letzten letzter letztes
vague : weihnachten silvester ostern heiligabend tag_danach tag_davor tag_später tage_später
"""

_ES: Final = """
the : el la los las
of : de del de_la
in : en dentro_de
on : el
from : del desde desde_el a_partir_de a_partir_del de
to : al hasta hasta_el a
and : y e
between : entre
for : durante por
after : después_de después_del despues_de despues_del tras
before : antes_de antes_del
preago : hace
few : unos unas
every : cada todos_los
a : un una
wd 0: lunes
wd 1: martes
wd 2: miércoles miercoles
wd 3: jueves
wd 4: viernes
wd 5: sábado sabado
wd 6: domingo
mon 1: enero ene
mon 2: febrero feb
mon 3: marzo
mon 4: abril abr
mon 5: mayo
mon 6: junio jun
mon 7: julio jul
mon 8: agosto ago
mon 9: septiembre setiembre sept sep
mon 10: octubre oct
mon 11: noviembre nov
mon 12: diciembre dic
unit day: día días dia dias
unit night: noche noches
unit week: semana semanas
unit month: mes meses
unit quarter: trimestre trimestres
unit year: año años
unit weekend: fin_de_semana finde
season 0: primavera
season 1: verano
season 2: otoño
season 3: invierno
rel 0: hoy esta_noche esta_tarde
rel 1: mañana
rel -1: ayer anoche
rel 2: pasado_mañana
rel -2: anteayer antes_de_ayer
mod next: próximo próxima próximos próximas proximo proxima
mod coming: que_viene siguiente
mod this: este esta estos estas
mod last: pasado pasada último última ultimo ultima pasados pasadas últimos últimas
part : por_la_mañana por_la_tarde por_la_noche de_la_mañana de_la_tarde de_la_noche al_mediodía
edge start: principios_de principios_del inicios_de comienzos_de
edge middle: mediados_de mediados_del
edge end: finales_de finales_del fines_de fin_de fin_del final_de
num 1: uno
num 2: dos par_de
num 3: tres
num 4: cuatro
num 5: cinco
num 6: seis
num 7: siete
num 8: ocho
num 9: nueve
num 10: diez
num 11: once
num 12: doce
num 15: quince
num 20: veinte
num 30: treinta
ord 1: primer primero primera
ord 2: segundo segunda
ord 3: tercer tercero tercera
ord 4: cuarto cuarta
ord -1: último última ultimo
vague : navidad nochebuena nochevieja semana_santa día_siguiente día_anterior dia_siguiente días_después
"""

_FR: Final = """
the : le la les l'
of : de du d' des de_la de_l'
in : dans d'ici en
on : le au
at : à
from : du depuis à_partir_du à_partir_de à_partir_d' dès de
to : au jusqu'au jusqu'à à
and : et
between : entre
for : pour pendant
after : après
before : avant
preago : il_y_a
few : quelques
every : chaque tous_les
a : un une
wd 0: lundi
wd 1: mardi
wd 2: mercredi
wd 3: jeudi
wd 4: vendredi
wd 5: samedi
wd 6: dimanche
mon 1: janvier janv
mon 2: février fevrier févr
mon 3: mars
mon 4: avril avr
mon 5: mai
mon 6: juin
mon 7: juillet juil
mon 8: août aout
mon 9: septembre sept
mon 10: octobre oct
mon 11: novembre nov
mon 12: décembre decembre déc
unit day: jour jours
unit night: nuit nuits
unit week: semaine semaines
unit month: mois
unit quarter: trimestre trimestres
unit year: an ans année années
unit weekend: week-end weekend
season 0: printemps
season 1: été
season 2: automne
season 3: hiver
rel 0: aujourd'hui
rel 1: demain
rel -1: hier
rel 2: après-demain après_demain
rel -2: avant-hier avant_hier
mod next: prochain prochaine prochains prochaines
mod coming: qui_vient
mod this: ce cet cette ces
mod last: dernier dernière derniers dernières passé passée
part : matin après-midi soir nuit
edge start: début
edge middle: mi
edge end: fin
num 2: deux
num 3: trois
num 4: quatre
num 5: cinq
num 6: six
num 7: sept
num 8: huit
num 9: neuf
num 10: dix
num 11: onze
num 12: douze
num 15: quinze
num 20: vingt
num 30: trente
ord 1: premier première
ord 2: deuxième second seconde
ord 3: troisième
ord 4: quatrième
ord -1: dernier dernière
vague : noël pâques lendemain veille
"""

_KO: Final = """
of : 의
pfrom : 부터 에서
pto : 까지
to : - – ~ ∼ 〜 부터
few : 며칠
during : 동안 간
hence : 후 뒤 이후 후에 뒤에 있다가
ago : 전 전에
every : 매주 매일 매달
comma : ,
open : (
close : )
wd 0: 월요일
wd 1: 화요일
wd 2: 수요일
wd 3: 목요일
wd 4: 금요일
wd 5: 토요일
wd 6: 일요일
kwd 0: 월
kwd 1: 화
kwd 2: 수
kwd 3: 목
kwd 4: 금
kwd 5: 토
kwd 6: 일
ymark : 년
mmark : 월
dmark : 일
unit day: 일 날 일간
unit night: 박
unit week: 주 주일 주간
unit month: 달 개월
unit quarter: 분기
unit year: 년 해 년간
unit weekend: 주말
season 0: 봄
season 1: 여름
season 2: 가을
season 3: 겨울
rel 0: 오늘 금일
rel 1: 내일 명일
rel 2: 모레 내일모레 낼모레
rel 3: 글피
rel -1: 어제 어젯밤 작일
rel -2: 그제 그저께 엊그제 엊그저께
mod next: 다음 담
mod this: 이번 요번
mod last: 지난 저번
mod coming: 오는 돌아오는 다가오는
mod after: 다다음
period week+1: 차주 내주
period week+0: 금주
period week-1: 전주 지난주
period month+1: 내달
period month+0: 금월
period month-1: 전월
period year+1: 내년 명년
period year+0: 올해 금년
period year-1: 작년 지난해
period year+2: 내후년
period year-2: 재작년
part : 아침 오전 오후 저녁 밤 점심 새벽 낮
edge start: 초
edge middle: 중순
edge end: 말 하순
bom end: 월말
bom start: 월초
num 1: 한 하나
num 2: 두 둘
num 3: 세 셋
num 4: 네 넷
num 5: 다섯
num 6: 여섯
num 7: 일곱
num 8: 여덟
num 9: 아홉
num 10: 열
ord 1: 첫번째 첫_번째 첫째 첫
ord 2: 두번째 두_번째 둘째
ord 3: 세번째 세_번째 셋째
ord 4: 네번째 네_번째 넷째
ord 5: 다섯번째 다섯째
ord -1: 마지막
days 1: 하루
days 2: 이틀
days 3: 사흘
days 4: 나흘
days 5: 닷새
days 6: 엿새
days 7: 이레
days 8: 여드레
days 9: 아흐레
days 10: 열흘
days 15: 보름
days 7: 일주일
period week-2: 지지난주 저저번주
mon 6: 유월
mon 10: 시월
vague : 추석 설날 성탄절 크리스마스 다음_날 이튿날
"""

_JA: Final = """
of : の
pfrom : から
pto : まで
to : - – ~ ∼ 〜 ～ から
hence : 後 後の
ago : 前
every : 毎週 毎日
comma : 、 ,
open : ( （
close : ) ）
wd 0: 月曜日 月曜
wd 1: 火曜日 火曜
wd 2: 水曜日 水曜
wd 3: 木曜日 木曜
wd 4: 金曜日 金曜
wd 5: 土曜日 土曜
wd 6: 日曜日 日曜
kwd 0: 月
kwd 1: 火
kwd 2: 水
kwd 3: 木
kwd 4: 金
kwd 5: 土
kwd 6: 日
ymark : 年
mmark : 月
dmark : 日
unit day: 日 日間
unit night: 泊
unit week: 週間 週
unit month: か月 ヶ月 カ月 ヵ月 ケ月 箇月
unit year: 年 年間
unit weekend: 週末
rel 0: 今日 本日 今晩 今夜 今朝 きょう
rel 1: 明日 あした あす 明朝 明晩 翌日
rel 2: 明後日 あさって
rel 3: 明々後日 しあさって
rel -1: 昨日 きのう 昨夜 昨晩
rel -2: 一昨日 おととい
mod next: 次の
mod coming: 今度の
mod this: この
mod last: 前の
period week+1: 来週
period week+2: 再来週
period week+0: 今週
period week-1: 先週
period week-2: 先々週
period weekend+1: 来週末
period weekend+0: 今週末
period weekend-1: 先週末
period month+1: 来月
period month+2: 再来月
period month+0: 今月
period month-1: 先月
period year+1: 来年
period year+0: 今年
period year-1: 昨年 去年
part : 朝 午前 午後 夕方 夜 晩 正午 昼
edge start: 初め 上旬
edge middle: 中旬 半ば
edge end: 末 下旬
bom end: 月末
ordmark : 第
ord -1: 最後
vague : お正月 クリスマス
"""

_ZH: Final = """
of : 的
from : 从 從 自
to : 到 至 - – ~ ～ —
hence : 后 後 之后 之後 以后 以後
ago : 前 之前 以前
every : 每周 每天 每個 每个
comma : ， , 、
open : ( （
close : ) ）
wd 0: 周一 週一 星期一 礼拜一 禮拜一
wd 1: 周二 週二 星期二 礼拜二 禮拜二
wd 2: 周三 週三 星期三 礼拜三 禮拜三
wd 3: 周四 週四 星期四 礼拜四 禮拜四
wd 4: 周五 週五 星期五 礼拜五 禮拜五
wd 5: 周六 週六 星期六 礼拜六 禮拜六
wd 6: 周日 週日 星期日 星期天 周天 礼拜天 礼拜日 禮拜天
kwd 0: 一
kwd 1: 二
kwd 2: 三
kwd 3: 四
kwd 4: 五
kwd 5: 六
kwd 6: 日
ymark : 年
mmark : 月 月份
dmark : 日 号 號
unit day: 天 日
unit night: 晚 夜
unit week: 周 週 星期 礼拜 禮拜 个星期 個星期 个礼拜 個禮拜
unit month: 个月 個月
umonth : 月
unit year: 年
unit weekend: 周末 週末
rel 0: 今天 今日 今晚 今早
rel 1: 明天 明日 明晚 明早
rel 2: 后天 後天
rel 3: 大后天 大後天
rel -1: 昨天 昨日 昨晚
rel -2: 前天
wmod 1: 下 下个 下個
wmod 2: 下下 下下个 下下個
wmod 0: 这 這 本 这个 這個
wmod -1: 上 上个 上個
wmod -2: 上上 上上个 上上個
period year+1: 明年
period year+2: 后年 後年
period year+0: 今年
period year-1: 去年
part : 早上 上午 中午 下午 晚上 凌晨 傍晚 夜里
edge start: 初
edge middle: 中旬
edge end: 底 末
bom end: 月底
bom start: 月初
ordmark : 第
gmark : 个 個
ord -1: 最后 最后一个 最後 最後一個 最后一 最後一
vague : 春节 春節 中秋节
"""

_DASHES: Final = "\ndash : - –\nsep : - /\nto : - – — ~\ncomma : ,\nopen : (\nclose : )\n"


def _entries(text: str) -> Entries:
    found: dict[str, list[tuple[str, object]]] = {}
    for line in text.strip().splitlines():
        head, _, words = line.partition(" :") if " : " in line else line.partition(":")
        category, _, raw = head.strip().partition(" ")
        for word in words.split():
            weak = len(word) > 1 and word.endswith("~")
            value: object = int(raw) if raw.lstrip("-").isdigit() else raw
            key = word.removesuffix("~") if weak else word
            found.setdefault(key.replace("_", " "), []).append((f"{category}~" if weak else category, value))
    return {word: tuple(meanings) for word, meanings in found.items()}


def _postposed(entries: Entries) -> Entries:
    """Spanish and French put `next` behind the noun as well."""
    return {
        word: (*meanings, *(("pmod", value) for category, value in meanings if category == "mod"))
        for word, meanings in entries.items()
    }


LATIN: Final[Mapping[str, Entries]] = {
    "en": _entries(_EN),
    "de": _entries(_DE + _DASHES),
    "es": _postposed(_entries(_ES + _DASHES)),
    "fr": _postposed(_entries(_FR + _DASHES)),
}
EASTERN: Final[Mapping[str, Entries]] = {name: _entries(text) for name, text in (("ko", _KO), ("ja", _JA), ("zh", _ZH))}
