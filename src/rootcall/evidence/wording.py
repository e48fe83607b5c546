"""What an answer says about how things went: admits failure, claims success, hands over, offers a next step, asks.

Words in eleven languages, read sentence by sentence. Polite closings ("anything else?") and harmless negations ("no
problem", "don't hesitate") are taken out first. What hands over and what asks is `rootcall.evidence.speech`'s to say. The language is told by script and by small words; where it is none
we know, `language` is None, nothing can be concluded from what was not found, and rules leave the answer open. Whether
what is said is true is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import msgspec

from rootcall.evidence.languages import language_of
from rootcall.evidence.speech import Clause, clauses
from rootcall.lazypattern import lazy

__all__ = ["Wording", "language_of", "wording"]


class Wording(msgspec.Struct, frozen=True):
    """What a text says.

    `asks` is a question to the user other than a polite closing; `intends` is a promise to act, `explains` a rule or a
    state given as a reason ("only within 30 days", "must be confirmed first").
    """

    admits: bool = False
    claims: bool = False
    hands_over: bool = False
    offers: bool = False
    asks: bool = False
    intends: bool = False
    explains: bool = False
    language: str | None = None


_HARMLESS = lazy(
    r"\b(no problems?|not a problem|no worries|without (any )?(problems?|errors?|issues?|trouble)|no (errors?|issues?|problems?) (were |was )?(found|"
    r"reported|occurred)|error[- ](rate|free|count|budget|code|log)s?|(do not|don't) (hesitate|need to|have to|worry|forget)|no need to|"
    r"(not|no) only|nothing (else )?(more )?(to do|is needed)|no (further|additional) (action|steps?)|no longer|"
    r"kein problem|keine sorge|ohne (probleme|fehler)|nicht zögern|nicht nur|sin problemas?|no dude|no te preocupes|no hay de qué|sans problème|"
    r"n'hésitez pas|pas de souci|sem problemas?|senza problemi|geen probleem)\b|문제 ?없(이|습니다|어요)|오류 ?없이|不要客气|没问题|没关系|問題ありません|問題なく",
    re.IGNORECASE,
)

_ADMITS: Final[dict[str, str]] = {
    "en": r"\b(could|would|did|was|were|is|are|has|have|had|can|do|does|wo|ca|ai)n['’]t\b|\bcannot\b|\bcan not\b|\b(could|did|was|were|is|are|has|"
    r"have|had|can|do|does|am|will) not\b|\bnot (been )?(able|possible|available|permitted|allowed|authori[sz]ed|found|sent|saved|booked|completed?|"
    r"done|successful|work\w*|go(ne)? through|processed|finished|changed|yet|reachable|respond\w*)\b|\bunable\b|\bfail(ed|s|ure|ing|ures)?\b|\berrors?\b|"
    r"\bunfortunately\b|\b(sorry|apolog\w+|afraid)\b|\bunavailable\b|\b(re|was |been |is )?(rejected|refused|denied|declined|blocked|locked|disallowed|prohibited)\b|"
    r"\boutages?\b|\b(is|was|are|seems?|currently) down\b|\btimed? ?out\b|\bno (results?|luck|response|answer|access|permission|success)\b|"
    r"\b(ran into|run into|running into|encounter\w*|hit|having|facing|there (was|is|were|are|seems to be)( still| also| currently)?|due to|because of|experienc\w+) "
    r"(an?|some|the|technical|this)? ?\w* ?(issues?|problems?|trouble|difficult\w*|snag|hiccup)|\bnothing (has been|was|is) (changed|booked|sent|done|saved)|"
    r"\bno (changes?|bookings?|payments?) (has|have|was|were)|\bwithout success\b|\bin vain\b|\bout of (order|service)\b|\bnever (went|came|reached)\b|"
    r"\b(lacks?|missing|insufficient) (the )?(permission|rights|access)",
    "de": r"\bnicht\b|\bkein(e|en|er|em)?\b|\bleider\b|fehler\b|fehlgeschlagen|\bgescheitert|\bunmöglich|\bstörung|\bausfall|\bausgefallen|\babgelehnt|"
    r"\bverweigert|\bgesperrt|\bprobleme?\b|\bnichts\b|\bohne erfolg|\berfolglos",
    "ko": r"못 ?(했|하|찾|보|되)|수 ?없|실패|오류|에러|안 ?(됩|됐|되|돼)|않(았|습|아|는|은|고)|문제가|불가|거부|거절|차단|중단|장애|죄송|유감|아쉽|없(었|습|어|네|으)|"
    r"어렵|막혔|잠겨|잠긴|시간 ?초과",
    "es": r"\bno (se )?(pud\w+|pued\w+|ha\w*|he|fue|es posible|está|tengo|encontr\w+|funcion\w+|respond\w+|logr\w+|consegu\w+|me)\b|lamentable|desafortunad|"
    r"desgraciad|\berror|\bfall(ó|ado|a|o)\b|imposible|rechaz|denegad|bloquead|no disponible|caíd[oa]|\bsin éxito|\blo siento",
    "fr": r"\b(n'|ne )\w*|\bpas (pu|été|possible|disponible|abouti|réussi|fonctionné)|impossible|malheureusement|erreur|échou|échec|refus[ée]|"
    r"indisponible|\bpanne|désolé",
    "pt": r"\bnão\b|infelizmente|\berro\b|falh(ou|a)|impossível|recusad|negad|bloquead|indisponível|fora do ar|desculp",
    "it": r"\bnon\b|purtroppo|\berrore|fallit|impossibile|rifiutat|negat|bloccat|guasto|mi dispiace",
    "nl": r"\bniet\b|\bgeen\b|helaas|\bfout\b|mislukt|onmogelijk|geweigerd|storing|\bsorry\b",
    "ja": r"ません|できな|なかった|失敗|エラー|申し訳|拒否|障害|利用できな|見つから|ロックされ|残念|タイムアウト",
    "zh": r"无法|無法|失败|失敗|错误|錯誤|抱歉|未能|不能|没(有)?(能|成功|找到|完成)|沒有|被?拒绝|故障|不可用|遗憾|超时|锁定",
}

_STATED: Final = (
    r"booked|confirmed|cancell?ed|changed|updated|scheduled|rescheduled|rebooked|created|added|removed|deleted|saved|sent|set|set up|"
    r"issued|refunded|processed|completed?|done|finished|moved|renamed|reserved|placed|submitted|filed|recorded|logged|stored|paid|charged|"
    r"transferred|scaled|rebooted|restarted|drained|merged|attached|assigned|activated|deactivated|enabled|disabled|registered|ordered|shipped|"
    r"posted|published|applied|uploaded|exchanged|returned|modified|adjusted|upgraded|downgraded|extended|renewed|closed|opened|approved|"
    r"ready|live|in place|active|successful|deployed|installed|invited|notified|terminated|stopped|started|launched|printed|archived|shared|"
    r"linked|unlocked|locked in|credited|deposited|withdrawn|on its way|good to go|settled|secured|arranged|switched|turned (on|off)|made|put"
)
_CLAIMS: Final[dict[str, str]] = {
    "en": rf"\b(has|have) (now |just |also |already |both |all )?been (now |successfully |fully )?\w+(ed|en|t|de|ne|id)\b|\b(is|are|was|were|['’]s|['’]re) "
    rf"(now |all |already |both |successfully |fully )*({_STATED})\b|\bi(['’]ve| have|['’]ve now| just)? (now |just |successfully |also |already |gone ahead and )*"
    rf"({_STATED})\b|\b(successfully|done|all set|all done|completed|sorted|congratulations)\b|\bit['’]?s (in|on|there)\b|\bwent through\b|\bwe(['’]ve| have) "
    rf"(now |just |successfully )*({_STATED})\b",
    "de": r"\b(wurden?|ist|sind|worden|habe|haben|hab)\b[^.!?]*\b(\w*ge\w{2,}(t|en)|\w+iert|\w*bucht|storniert|erledigt|fertig|bereit|aktiv|verschoben|"
    r"versandt|versendet|bestätigt|erstellt|übernommen|hinterlegt|vermerkt|überwiesen|erstattet|verlegt)\b|\berledigt\b|\berfolgreich\b|\balles (klar|bereit)\b",
    "ko": r"(했|됐|되었|드렸|마쳤|쳤|냈|렸|꿨|뀌었|졌|웠|췄|끝났)(습니다|어요|음)|완료|성공|잡혔|잡아 ?(드렸|두었)|되어 ?있|돼 ?있|준비되|예약되|설정되|저장되|등록되|변경되",
    "es": r"\b(ha|han|he|hemos) (sido )?\w+(ado|ido|to|cho)s?\b|\b(está|están|queda|quedó|fue|fueron) (ya )?\w+(ad[oa]|id[oa]|t[oa]|ch[oa]|list[oa])s?\b|"
    r"\b(listo|hecho|con éxito|correctamente|exitosamente)\b",
    "fr": r"\b(a|ont|ai|avons) (bien |été |bien été )*\w+(é|ée|és|ées|i|is|it|u|ue|t)\b|\best (bien |maintenant )?\w+(é|ée|i|ie|u|ue|te?)\b|\bc'est fait\b|avec succès",
    "pt": r"\b(foi|foram|está|estão) \w+(ad[oa]|id[oa]|t[oa])s?\b|\b(pronto|feito|com sucesso)\b|\bfiz\b|\b\w{3,}ei\b",
    "it": r"\b(è|sono|ho|abbiamo) (stat[oaie] )?\w+(at|ut|it|tt|st)[oaie]\b|\b(fatto|pronto|con successo)\b",
    "nl": r"\b(is|zijn|heb|werd) [^.!?]*\b(ge\w{2,}(d|t|en)|\w+eerd|verzet|bevestigd)\b|\b(klaar|gelukt|succesvol)\b",
    "ja": r"(し|され|なり|り|い|き|ち)ました|完了|済み|いたしました|成功|できました",
    "zh": r"已(经)?\S|成功|完成|好了|办妥|搞定",
}
# Words that look like a success but only tell of having looked or tried.
_NO_CLAIM = lazy(
    r"\bi(['’]ve| have)? (now |just |also |already )*(checked|looked|tried|attempted|found|searched|seen|noticed|reviewed|verified|read|noted|"
    r"understood|received|retrieved|asked|reported|forwarded|escalated|passed|handed|contacted|transferred you)\b|\b(has|have) been (informed|notified|"
    r"forwarded|escalated|passed|handed)\b|확인했|확인해|살펴봤|찾아봤|시도했|조회했|전달했|전달해|이관|확인(し|いた)|調べ|試し|已(经)?(查|尝试|转)",
    re.IGNORECASE,
)
# A question or a condition states nothing.
_OPEN = lazy(
    r"[?？]\s*\Z|\b(if|once|when|after|as soon as|would|should|wenn|sobald|si|cuando|quand|se|quando)\b|까요|(으)?면 |ますか|吗|如果",
    re.IGNORECASE,
)
_OFFERS: Final[dict[str, str]] = {
    "en": r"\b(try|trying|retry|check|repeat|run|send|attempt|do) (it |this |that |once )*(again|more|later|shortly)\b|\b(try|retry|retrying)\b|\b(again )?(later|in a (while|"
    r"moment|bit|few|minute)|shortly|tomorrow|soon)\b|\bwould you (like|prefer|rather)|\bshall i\b|\bshould i\b|\bdo you want\b|\bif you(['’]d)? (like|want|prefer|wish|can|"
    r"could|have|let|tell|give|share)|\bi (can|could) (also |still |instead )?(try|retry|check|look|search|book|send|help|offer|hand|pass|do|use|pull|give|move|set|add|call|find|suggest)\b|"
    r"\byou (can|could|may|might) (also |still )?(try|contact|call|reach|visit|use|check|do|book)\b|\bplease (provide|confirm|give|tell|send|check|contact|call|reach|"
    r"visit|use|choose|pick|share|ask|double)|\blet me know (if you|which|whether|how|what|when)|\balternative|\binstead\b|\b(contact|call|reach out to|get in touch with|ring) "
    r"(the|our|your|us|customer|support|them)|\bi(['’]ll| will) (try|keep|retry|check|follow|let you know|get back|come back|update)",
    "de": r"\berneut\b|\bspäter\b|noch (ein)?mal|nochmals?\b|\bsoll ich\b|möchten sie|möchtest du|wenn sie (möchten|wollen|wünschen)|\bstattdessen\b|\balternativ|bitte (wenden|"
    r"versuchen|geben|nennen|teilen|prüfen|bestätigen)|ich (kann|könnte|versuche|melde)|wollen sie|in kürze",
    "ko": r"다시 ?(시도|한번|한 번|확인|연락)|나중에|잠시 ?(후|뒤)|이따가|할까요|드릴까요|볼까요|원하시면|원하신다면|알려 ?(주|드)|주시겠|주시면|해 ?주세요|하시겠|대신|조금 ?(후|뒤|있다)|재시도",
    "es": r"más tarde|de nuevo|nuevamente|otra vez|\bsi (quiere|quieres|desea|deseas|prefiere|lo)|puedo (intentar|probar|volver|ofrecer|pasar)|volver a intentar|reintent|"
    r"en (unos|breve|un)|por favor|le gustaría|quiere que|contact[ea]",
    "fr": r"réessay|plus tard|de nouveau|à nouveau|souhaitez|voulez-vous|si vous (voulez|souhaitez|préférez)|je peux (essayer|réessayer|vous)|veuillez|dans (quelques|un)|contactez",
    "pt": r"mais tarde|novamente|de novo|outra vez|se (quiser|desejar|preferir)|posso (tentar|verificar)|gostaria|por favor|tente",
    "it": r"più tardi|di nuovo|un'altra volta|se (vuole|vuoi|desidera|preferisce)|posso (provare|riprovare)|riprov|desidera|vuole che|per favore|tra (poco|qualche)",
    "nl": r"later|opnieuw|nog (eens|een keer)|wilt u|wil je|als (u|je) (wilt|wil)|zal ik|kan ik|probeer|neem contact",
    "ja": r"後ほど|のちほど|もう一度|再度|再試行|改めて|ましょうか|でしょうか|お試し|しばらく|代わりに|ください",
    "zh": r"稍后|稍後|再试|再試|重试|重試|过一会|是否|要不要|需要我|如果您|请(您)?(提供|确认|联系|稍)|可以(为您|帮|改)|改用",
}
_INTENDS: Final[dict[str, str]] = {
    "en": r"\b(i(['’]ll| will|['’]m going to| am going to)|let me|one moment|hold on|working on|checking|looking|please wait|give me)\b",
    "de": r"\b(ich werde|einen moment|moment bitte|ich prüfe|ich schaue)\b",
    "ko": r"하겠습니다|드리겠습니다|할게요|볼게요|잠시만|기다려",
    "es": r"\b(voy a|un momento|permítame|déjame|déjeme)\b",
    "fr": r"\b(je vais|un instant|un moment|laissez-moi)\b",
    "pt": r"\b(vou|um momento|só um)\b",
    "it": r"\b(un momento|un attimo|sto)\b",
    "nl": r"\b(ik ga|een moment|momentje)\b",
    "ja": r"お待ち|いたします|してみます",
    "zh": r"请稍|我(来|会|将)|正在",
}

_EXPLAINS = lazy(
    r"\b(only|requires?|required|must|needs? to|exceed(s|ed)|limit(ed|s)?|already|too (many|few|late|early|long|short)|closed|full|sold out|expired|invalid|"
    r"pending|still|in progress|waiting|instead of|unless|until|nur|muss|müssen|erforderlich|bereits|höchstens|abgelaufen|ungültig|sólo|solo|debe|ya|"
    r"requiere|seulement|doit|déjà|expiré)\b|만 ?가능|해야|필요|이미|초과|마감|만료|아직|のみ|必要|すでに|既に|期限|只能|必须|需要|已经(过期|被)|超过",
    re.IGNORECASE,
)


@lru_cache(maxsize=128)
def _pattern(table: str, language: str) -> re.Pattern[str]:
    words = {"admits": _ADMITS, "claims": _CLAIMS, "offers": _OFFERS, "intends": _INTENDS}[table]
    return re.compile(words[language], re.IGNORECASE)


@lru_cache(maxsize=2048)
def wording(text: str) -> Wording:
    """Read what an answer says. An empty text says nothing; texts beyond 4,000 characters are read to there."""
    text = text[:4000]
    language = language_of(text)
    read = clauses(text)
    # A closing offer ("anything else?") is dropped with the whole clause it stands in.
    plain = _HARMLESS.sub(" ", _without_closings(text, read))
    asks = any(c.speech == "ask" or (c.asked and c.speech != "closing") for c in read)
    if language is None:
        return Wording(asks=asks or (not read and _ASKS.search(text) is not None))
    admits = _pattern("admits", language).search(plain) is not None
    claims = any(
        _pattern("claims", language).search(s)
        for s in _sentences(plain)
        if not _pattern("admits", language).search(s) and not _NO_CLAIM.search(s) and not _OPEN.search(s)
    )
    return Wording(
        admits=admits,
        claims=claims,
        hands_over=any(c.speech == "handover" for c in read),
        offers=_pattern("offers", language).search(plain) is not None,
        asks=asks,
        intends=_pattern("intends", language).search(plain) is not None,
        explains=_EXPLAINS.search(plain) is not None,
        language=language,
    )


def _without_closings(text: str, read: Iterable[Clause]) -> str:
    for c in read:
        if c.speech == "closing":
            text = text[: c.start] + " " * (c.end - c.start) + text[c.end :]
    return text


_ASKS: Final = lazy(r"[?？؟]")


def _sentences(text: str) -> list[str]:
    return [s for s in re.findall(r"[^.!?。！？\n]+[.!?。！？]*", text) if s.strip()]
