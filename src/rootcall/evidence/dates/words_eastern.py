"""The words of days in Korean, Japanese and Chinese; `rootcall.evidence.dates.lexicon` tells how to read them."""

from __future__ import annotations

from typing import Final

__all__ = ["JA", "KO", "ZH"]

KO: Final = """
of : 의
pfrom : 부터 에서 로부터 으로부터
pto : 까지
to : - – ~ ∼ 〜
few : 며칠
during : 동안 간
hence : 후 뒤 이후 후에 뒤에 있다가
ago : 전 전에
every : 매주 매일 매달 마다
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
rel 0: 오늘 금일 당일
rel 1: 내일 명일 익일
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
period month+0: 금월 이달
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
rel -3: 그끄저께
vague : 연말 연초 주중 추석 설날 성탄절 크리스마스 다음_날 이튿날
"""

JA: Final = """
of : の
pfrom : から
pto : まで
to : - – ~ ∼ 〜 ～
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

ZH: Final = """
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
