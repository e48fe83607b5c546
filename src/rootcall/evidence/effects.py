"""What a tool does to the world: reads or writes, creates something each time, destroys, hands over to a person.

A tool's own hints (the MCP annotations) decide where there are any; else its name, then its description. Names are
read as words (`getOrder`, `get_order`, `orders.get`), and it is the verb that counts. What cannot be told is neither a
read nor a write that creates: `effect` says `unknown`. Whether an agent should have called a tool is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

from rootcall.evidence.intents import same_call
from rootcall.evidence.words import word_set
from rootcall.jsonvalue import MISSING, canonical, walk
from rootcall.lazypattern import Hinted, lazy
from rootcall.trace import Call, Tool, per_record

__all__ = [
    "Effect",
    "creates_each_time",
    "destructive",
    "effect",
    "hands_over",
    "idempotency_key",
    "idempotent",
    "is_pending",
    "is_poll",
    "name_words",
    "read_only",
    "result_key",
    "says_each_time",
]

Effect = Literal["read", "write", "unknown"]

_READ: Final = word_set(
    """
    get list search find lookup look fetch read check query show view describe retrieve browse status count
    compare calculate compute estimate validate verify inspect preview think convert translate summarize
    summarise quote track poll wait sleep ping lint explain analyze analyse detect classify geocode resolve scan
    peek exists test tell info suche suchen finde finden hole holen lies lesen zeige zeigen pruefe prüfe prüfen
    abfragen liste buscar consultar obtener leer listar ver chercher rechercher lire obtenir consulter
    conditions forecast history details detail
    """
)
_CREATE: Final = word_set(
    """
    create send charge pay issue post submit place order book purchase buy publish transfer refund reply email
    message sms notify invite register reserve schedule start launch spawn insert append duplicate clone donate
    withdraw deposit print dispatch erstelle erstellen anlegen sende senden buche buchen bestelle bestellen
    zahle zahlen crear enviar pagar reservar comprar créer creer envoyer payer réserver
    """
)
# Verbs that may create or may set; they count as creating only when the description says so, or for a hint.
_ADD: Final = word_set("add log record write save store attach upload comment book_keep track_event")
_SET: Final = word_set(
    """
    set update change scale assign rename move put replace reassign enable disable mark close open reopen
    activate deactivate edit modify patch configure adjust toggle merge archive drain resize rebook reschedule
    exchange return approve reject lock unlock pause resume stop apply link unlink switch convert_to restart
    reboot ändere ändern setze setzen aktualisiere aktualisieren verschiebe cambiar actualizar modificar mover
    modifier changer
    """
)
_DESTROY: Final = word_set(
    """
    delete remove cancel terminate destroy drop purge wipe erase kill revoke uninstall reset truncate void
    lösche löschen storniere stornieren eliminar borrar cancelar supprimer annuler effacer evict expel ban
    decommission nuke dismiss kündige kündigen kuendigen sperre sperren rescindir expulsar résilier resilier
    """
)
_HAND_OVER: Final = word_set("escalate handover handoff transfer_to_human page_oncall escalar weiterleiten")
# Nouns as often as verbs ("metrics_archive", "last_order"): verbs only where they lead a name.
_NOUNS_TOO: Final = word_set(
    """
    order archive issue place book log record post email message sms schedule transfer refund return exchange
    link comment print duplicate start reset run note store share change update move stop lock mark purchase
    report deposit store invite upload charge pay reply open close apply save put void drop request approve
    """
)
# Of these, the ones that are the thing asked after when a reading word ends the name ("order_status", "log_search").
_THINGS: Final = word_set(
    "order log record email message sms transfer refund return exchange issue archive note purchase deposit comment"
)
_WRITE: Final = (
    _CREATE
    | _ADD
    | _SET
    | _DESTROY
    | _HAND_OVER
    | word_set(
        """
    block suspend freeze quarantine demote promote deploy rollback migrate flush mute disconnect detach shutdown
    overwrite sign authorize confirm accept decline redeem wire remit ship recall debit credit bloquear suspender
    desactivar bloquer suspendre freigeben
    execute exec run do perform invoke delegate hand give make request grant remind tow attach share import
    export sync
    """
    )
)

_VERBS: Final = _WRITE - _NOUNS_TOO
# In a description only: there they say what the tool gives back.
_GIVES: Final = word_set(
    """
    provide display output determine gather measure identify suggest recommend predict evaluate report load answer
    donne affiche renvoie retourne liste zeigt liefert gibt berechnet nennt muestra devuelve calcula entrega lista
    """
)
_ARTICLES: Final = word_set(
    "the a an its this le la les un une des el los las una der die das den dem ein eine einen einem o os as um uma il lo gli"
)

_SUBSTRINGS: Final[tuple[tuple[str, Effect], ...]] = (
    ("조회", "read"), ("검색", "read"), ("확인", "read"), ("목록", "read"), ("찾기", "read"), ("보기", "read"),
    ("생성", "write"), ("추가", "write"), ("삭제", "write"), ("취소", "write"), ("변경", "write"), ("수정", "write"),
    ("예약", "write"), ("전송", "write"), ("보내", "write"), ("등록", "write"), ("결제", "write"), ("환불", "write"),
    ("查询", "read"), ("搜索", "read"), ("获取", "read"), ("检索", "read"), ("取得", "read"), ("検索", "read"),
    ("创建", "write"), ("删除", "write"), ("取消", "write"), ("更新", "write"), ("发送", "write"), ("作成", "write"),
    ("削除", "write"), ("送信", "write"),
)  # fmt: skip
_CREATES_SUBSTRING = lazy("생성|전송|보내|결제|환불|예약|등록|创建|发送|作成|送信")
_DESTROYS_SUBSTRING = lazy("삭제|취소|해지|删除|取消|削除")

_READ_WORDS: Final = Hinted(
    r"\bread[- ]only\b|\b(mirror|replica|copy) of\b|\bwithout changing\b|\bdoes not (change|modify)\b|nur lesend|읽기 전용",
    "read mirror replica copy without_changing does_not lesend",
)
_EACH_TIME = lazy(
    r"\b(each|every) (call|time|request|invocation|use)\b[^.;]{0,40}\b(creat|start|send|add|mak|book|issu|charg|post|"
    r"open|order|new|another|again|separate|register|log|insert|submit|place)|\b(not|isn't|is not|non)[ -]?idempotent"
    r"|\b(creates?|adds?|starts?|sends?|books?) another\b|\bduplicates? (are|is|will be) (created|possible)"
    r"|jeder aufruf|nicht idempotent|cada llamada|chaque appel|호출(할 때|될 때)?마다|멱등(성)?(이|하지)? ?(않|아니|없)"
    r"|呼び出(す|し)(たび|ごと)|每次调用",
    re.IGNORECASE,
)
_REPEAT_SAFE = lazy(
    r"(?<!not )(?<!non-)(?<!isn't )\bidempotent\b|\b(safe|harmless) to (repeat|retry|call again|re-?send)|\brepeat(ed|ing)?[ -]safe"
    r"|\brepeated (calls?|requests?) (have|has|are|is) (no|ignored|the same)|\bcalling (it )?(twice|again) (has no|does not|changes nothing)"
    r"|\brepeating (it )?(has no|changes nothing|is harmless)|wiederholung(en)? (ändert|ändern|hat|haben) (nichts|keine)|erneuter aufruf ändert nichts"
    r"|repetir(lo|la)? no (cambia|tiene)|la répétition ne change rien|répéter ne change rien|(다시|여러 번|반복) ?(호출)?(해도|하더라도)"
    r"|\bno (further )?effect (if|when) (already|repeated)|(?<!nicht )\bidempotent\b|gefahrlos wiederhol|멱등(?!.{0,6}(않|아니|없))",
    re.IGNORECASE,
)
_IRREVERSIBLE: Final = Hinted(
    r"\bfor good\b|\birrevers|\bpermanent(ly)?\b|\b(can(not|'t|not be)|can never) be (undone|reversed|restored)|\bno undo\b"
    r"|\bundo(ne)? is (not|im)possible|\bdestroys?\b|\bdeletes?\b|\bunwiderruflich|\bendgültig|\birréversible|\birreversible"
    r"|되돌릴 수 없|영구|复原|不可恢复|元に戻せ",
    "for_good irrevers permanent undo reversed restored destroy delete unwiderruf",
)
_TO_PERSON: Final = Hinted(
    r"\b(hand|pass|transfer|escalat|forward|rout|wake|alert)\w*\b[^.;]{0,40}\b(human|person|people|agent|operator|colleague|team|staff|manager|"
    r"supervisor|specialist|support|back office|engineer|clerk|representative)\b|\bask (for )?(an? )?\w*\s?(human|person|manager|operator|"
    r"specialist|supervisor)|\b(human|live) (agent|operator|assistant|support|forecaster|being|expert|reviewer)\b|\bon[- ]?call\b"
    r"|\bpages? (the|an?) \w+|\bopen (a )?(support|service) ticket|\bback office\b|an (einen )?(menschen|mitarbeiter|kollegen)"
    r"|agente humano|un conseiller|상담원|담당자|직원에게|人工|オペレーター|担当者",
    "hand pass transfer escalat forward rout wake alert ask human live call page ticket office menschen mitarbeiter kollegen conseiller",
)
_TO_PERSON_NAME = lazy(
    r"escalat|hand_?(over|off)|(transfer|pass|forward|talk|speak|connect)_to_(?!account|bank|wallet)\w*(human|agent|person|operator|"
    r"support|team|staff|manager|rep)|(contact|ask|notify|page|call|alert)_\w*(human|agent|person|operator|support|manager|on_?call|"
    r"staff|supervisor|engineer|specialist|team|expert)",
    re.IGNORECASE,
)
_KEY_NAMES: Final = word_set(
    """
    idempotencykey idempotencytoken idempotencyid requestid clientrequestid clienttoken requesttoken dedupekey
    dedupeid dedupetoken deduplicationkey deduplicationid deduplicationtoken uniquerequestid clientreferenceid
    clientreference nonce clientmutationid operationtoken xidempotencykey messagededuplicationid
    """
)
_KEY_WORDS = lazy(
    r"idempoten|de-?dup|duplicate (request|call)|repeated .{0,30}\bonce\b|same key|멱등|중복 (방지|요청)", re.IGNORECASE
)
_ONCE = lazy(
    r"\b(?:only )?once\b|\beinmal\b|\buna (?:sola |única )?vez\b|\bune (?:seule )?fois\b|한 ?번|一度|一次",
    re.IGNORECASE,
)
_PENDING = lazy(
    r"\A\W*(pending|queued|running|processing|in[_ -]?progress|waiting|starting|started|scheduled|not[_ -]?ready|accepted|working|"
    r"preparing|rendering|building|provisioning|initiali[sz]ing|syncing|authori[sz]ed|submitted|received|in[_ -]?transit|open|ongoing|"
    r"laufend|wartend|in bearbeitung|pendiente|en curso|en attente|en cours|대기( ?중)?|진행( ?중)?|처리( ?중)?|준비( ?중)?|"
    r"等待中?|处理中|进行中|処理中|待機中)\W*\Z",
    re.IGNORECASE,
)
_VOLATILE = lazy(
    r"(request|trace|correlation|span)_?id|took(_?ms)?|elapsed(_?ms)?|latency(_?ms)?|duration_?ms|timestamp|served_?at|"
    r"generated_?at|fetched_?at|retrieved_?at|server_?time|cached|cache|etag|api_?version|server|node|rate_?limit\w*|links|generation",
    re.IGNORECASE,
)
_POLLS: Final = word_set("status poll wait progress state track await")


@lru_cache(maxsize=4096)
def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a tool's name in lower case: `getOrderStatus` and `orders.get_order` are read alike."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return tuple(w.lower() for w in re.split(r"[\W_]+", spaced) if w)


def effect(tool: Tool | None, name: str) -> Effect:
    """Tell whether a tool reads or writes, or `unknown` when neither its hints, name nor description say.

    Args:
        tool: the offered tool, None when not known.
        name: its name, as called.
    """
    hints = tool.hints if tool is not None else {}
    if isinstance(hints.get("readOnlyHint"), bool):
        return "read" if hints["readOnlyHint"] else "write"
    if hints.get("destructiveHint") is True:
        return "write"
    return _worded_effect(name, tool.description if tool is not None else "")


@lru_cache(maxsize=4096)
def _worded_effect(name: str, description: str) -> Effect:
    named = _named_effect(name)
    if named == "read" or _READ_WORDS.search(description):
        return "read"
    if named is not None:
        return named
    return "write" if _TO_PERSON.search(description) else _described_effect(description)


@lru_cache(maxsize=4096)
def _named_effect(name: str) -> Effect | None:
    words = name_words(name)
    if words[:2] in (("check", "in"), ("check", "out")) or words[:1] in (("checkin",), ("checkout",)):
        return "write"
    if words[:1] and words[0] in _THINGS and words[-1] in _READ:
        return "read"
    # A verb leads or ends a name; in between it is mostly a noun ("get_order_status", "list_returns").
    for i, w in enumerate((*words[:1], *words[-1:], *words[1:-1])):
        if w in _READ:
            return "read"
        if w in _WRITE and (i == 0 or w not in _NOUNS_TOO):
            return "write"
    return next((kind for part, kind in _SUBSTRINGS if part in name), None)


def _described_effect(description: str) -> Effect:
    words = [w.lower() for w in re.findall(r"[^\W\d_]+", description)[:12]]
    if not words:
        return "unknown"
    first = words[0]
    for form in (first, first.removesuffix("s"), first.removesuffix("es")):
        if form in _READ or form in _GIVES or form in ("return", "says", "whether"):
            return "read"
        if form in _WRITE:
            return "write"
    if (found := next((kind for part, kind in _SUBSTRINGS if part in description), None)) is not None:
        return found
    # "Résilie le contrat": a word before an article is a verb, and one that is not known may do anything.
    if len(words) > 1 and first not in _ARTICLES and words[1] in _ARTICLES:
        return "unknown"
    # Described by a noun alone ("Forecast for one day"): what gives a thing reads it.
    return "unknown" if any(w in _VERBS or w.removesuffix("s") in _VERBS for w in words) else "read"


def read_only(tool: Tool | None, name: str) -> bool:
    """Tell whether a tool only reads: what is not known to read does not."""
    return effect(tool, name) == "read"


def destructive(tool: Tool | None, name: str) -> bool:
    """Tell whether a tool takes something away for good: deletes, cancels, terminates, or says it cannot be undone."""
    hints = tool.hints if tool is not None else {}
    if isinstance(hints.get("destructiveHint"), bool):
        return bool(hints["destructiveHint"])
    if effect(tool, name) == "read":
        return False
    if any(w in _DESTROY for w in name_words(name)) or _DESTROYS_SUBSTRING.search(name):
        return True
    return tool is not None and _irreversible(tool)


@per_record
def _irreversible(tool: Tool) -> bool:
    return _IRREVERSIBLE.search(tool.description) is not None


def says_each_time(tool: Tool | None) -> bool:
    """Tell whether a tool's description says that every call makes another thing."""
    return tool is not None and _EACH_TIME.search(tool.description) is not None


def idempotent(tool: Tool | None, name: str) -> bool:
    """Tell whether repeating a call leaves the world as one call does: reads, value-setting writes, removals."""
    hints = tool.hints if tool is not None else {}
    if isinstance(hints.get("idempotentHint"), bool):
        return bool(hints["idempotentHint"])
    if says_each_time(tool):
        return False
    if read_only(tool, name) or (tool is not None and _REPEAT_SAFE.search(tool.description)):
        return True
    words = name_words(name)
    return bool(words) and not creates_each_time(tool, name) and any(w in _SET or w in _DESTROY for w in words)


def creates_each_time(tool: Tool | None, name: str) -> bool:
    """Tell whether every call makes another thing: the description says so, or the verb does (create, send, charge).

    False where the tool says that repeats are safe, and for reads and hand-overs.
    """
    hints = tool.hints if tool is not None else {}
    if says_each_time(tool):
        return True
    if hints.get("idempotentHint") is True or effect(tool, name) == "read" or hands_over(tool, name):
        return False
    if tool is not None and _REPEAT_SAFE.search(tool.description):
        return False
    words = name_words(name)
    if _CREATES_SUBSTRING.search(name):
        return True
    return next((w in _CREATE for i, w in enumerate(words) if w in _WRITE and (i == 0 or w not in _NOUNS_TOO)), False)


def hands_over(tool: Tool | None, name: str) -> bool:
    """Tell whether a tool passes the matter on to a person."""
    if _TO_PERSON_NAME.search("_".join(name_words(name))):
        return True
    return tool is not None and not read_only(tool, name) and _TO_PERSON.search(tool.description) is not None


def idempotency_key(call: Call, tool: Tool | None = None) -> Any:
    """Return the value a call sends so that a repeat is recognised, or None.

    An argument counts by its name (`idempotency_key`, `request_id`, `client_token`) or by its description in the
    tool's schema.
    """
    schema = tool.schema if tool is not None else None
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    for name, value in (call.arguments or {}).items():
        plain = re.sub(r"[\W_]", "", name).lower()
        described = properties.get(name) if isinstance(properties, Mapping) else None
        words = described.get("description") if isinstance(described, Mapping) else None
        known = plain in _KEY_NAMES or (isinstance(words, str) and _KEY_WORDS.search(words) is not None)
        known = known or (tool is not None and _once(tool.description, name))
        if known and value not in (None, ""):
            return value
    return None


def _once(description: str, name: str) -> bool:
    """Whether a tool says of one of its arguments that a repeat of it counts once ("the same key is booked once")."""
    said = re.search(rf"\b{re.escape(name)}\b|{re.escape(name)}(?=[은는이가을를])", description)
    return said is not None and _ONCE.search(description) is not None


def result_key(call: Call) -> str:
    """Return a text that is the same for results that say the same; request ids, timings and the like are left out."""
    if call.result is None:
        return f"{call.outcome}:"
    payload = call.result.payload
    if payload is MISSING:
        return f"{call.outcome}:{call.result.text or ''}"
    if isinstance(payload, Mapping):
        payload = {k: v for k, v in payload.items() if not _VOLATILE.fullmatch(str(k))}
    return f"{call.outcome}:{canonical(payload)}"


def is_pending(call: Call) -> bool:
    """Tell whether a result says that the thing is still under way: a short value such as `queued` or `대기 중`."""
    payload = call.result.payload if call.result is not None else MISSING
    if payload is MISSING:
        return False
    for n, (_, value) in enumerate(walk(payload)):
        if n > 200:
            return False
        if isinstance(value, str) and len(value) <= 40 and _PENDING.match(value):
            return True
    return False


def is_poll(calls: Sequence[Call]) -> bool:
    """Tell whether identical calls are polling: two or more, none failing, with a pending or a changing result.

    A tool named for asking after a state (`job_status`) polls even where the result stands still.
    """
    if len(calls) < 2 or any(not same_call(calls[0], c) for c in calls[1:]):
        return False
    if any(c.outcome in ("error", "refused") for c in calls):
        return False
    if any(is_pending(c) for c in calls[:-1]) or any(w in _POLLS for w in name_words(calls[0].tool)):
        return True
    return len({result_key(c) for c in calls}) > 1
