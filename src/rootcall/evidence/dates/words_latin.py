"""The words of days in English, German, Spanish and French; `rootcall.evidence.dates.lexicon` tells how to read them."""

from __future__ import annotations

from typing import Final

__all__ = ["DASHES", "DE", "EN", "ES", "FR"]

EN: Final = """
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
business : business working work
bday : weekday weekdays workday workdays
thousand 2000: two_thousand
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

DE: Final = """
the : der die das den dem
of : des der vom von im
in : in
on : am an zum
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

ES: Final = """
the : el la los las
bar : a_las a_la de_las desde_las hasta_las
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
every : cada todos_los los
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

FR: Final = """
the : le la les l'
weeklater : en_huit
wds 0: lundis
wds 1: mardis
wds 2: mercredis
wds 3: jeudis
wds 4: vendredis
wds 5: samedis
wds 6: dimanches
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

# Signs that all but English write the same way; English has more words for them.
DASHES: Final = "\ndash : - –\nsep : - /\nto : - – — ~\ncomma : ,\nopen : (\nclose : )\n"
