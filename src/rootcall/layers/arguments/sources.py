"""Where did a value come from? Placeholders, and identifiers that stand nowhere upstream.

An identifier must come from the user, the system message, an earlier result, or the tool's own words. One that stands
nowhere is invented, even if a server answers to it. Free text, names, dates, small numbers and codes anyone knows are
not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rootcall.case import Case
from rootcall.check import Check, Grade, Rule, emits
from rootcall.config import Config
from rootcall.evidence.identities import alike, nearest, squeezed
from rootcall.evidence.number_words import spelled_digits
from rootcall.evidence.origins import alike_before
from rootcall.evidence.origins import origin as origin_of
from rootcall.evidence.parameters import Parameter
from rootcall.evidence.provenance import complete_before, in_text, sends, upstream, user_texts
from rootcall.evidence.words import key_words, word_set
from rootcall.layers.arguments.addresses import dialled, is_phone, refers, reserved
from rootcall.layers.arguments.common import Place, Sent, sent, shown
from rootcall.lazypattern import lazy
from rootcall.trace import Trace, per_trace

__all__ = ["placeholder", "provenance"]

_TEMPLATE: Final = lazy(
    r"\s*(?:<[^\W\d][\w\s.-]*>|\{\{?\s*[\w\s.\[\]-]+\s*\}?\}|\$\{?[A-Za-z_][\w.\[\]]*\}?|__\w+__|%\(\w+\)s|%s|\[\s*(?:your|insert|enter|user|the)?[\s_]*[a-z_ ]*(?:id|key|code|name|"
    r"number|token|email)\s*\]|(?:INSERT|ENTER|REPLACE|YOUR)[_\s-][A-Z_\s-]+|YOUR[A-Z_]+)\s*\Z"
)
_WORDS: Final = word_set(
    "me mine my self myself i user currentuser current account myaccount myid myuserid userid string str text value id identifier "
    "uuid guid key token tbd tba todo na nil none null undefined unknown unspecified notprovided notavailable missing placeholder "
    "dummy example sample foo bar foobar baz asdf xxx yourid youridhere idhere someid 본인 나 내계정 사용자 임시 ich selbst unbekannt yo "
    "desconocido moi inconnu 自分 不明 我 未知"
)
# Words a user says all the time: only in quotes do they name a value.
_EVERYDAY: Final = word_set(
    "me mine my self myself i user current account string text value id identifier key token none null unknown missing example "
    "sample na 본인 나 사용자 ich selbst yo moi 自分 我"
)
_MADE_UP: Final = lazy(
    r".*[_\-\s](?:from|of)[_\-\s](?:the[_\-\s])?(?:previous|above|last|earlier|prior|search|step|result|response).*|(?:your|deine?|ihre?|tu|su|votre|ton)[_\-]\w*(?:id|nummer|number|code|key|token|"
    r"número|numero|numéro)|(?:your|my|example|sample|dummy|placeholder|some|insert|enter|fake|from|previous|result[_\s]of|output[_\s]of)[_\-\s].*|.*[_\-\s](?:here|placeholder|example)|x{3,}[\w-]*|"
    r"[a-z]{0,8}[-_]?x{3,}",
    re.IGNORECASE,
)
# A word in capitals that ends as identifiers are called, in no language we need to know: USUARIO_ID, KUNDEN_NUMMER.
_SHOUTED: Final = lazy(
    r"[^\W\da-z]{2,}(?:_[^\W\da-z]{2,})*_(?:ID|UUID|NUMMER|NUMERO|NÚMERO|NUMBER|CODE|KEY|TOKEN|REF)\Z"
)
_SAMPLE_ADDRESS: Final = lazy(
    r"(?:user|users?name|name|email|e-?mail|example|sample|test|your[._-]?(?:name|e?mail)|my[._-]?e?mail|me|customer|client|someone|somebody|recipient|john|jane|john[._]?(?:doe|smith)|"
    r"jane[._]?doe|max[._]?mustermann|jdoe|foo|abc)\d{0,3}@(?:example|test|domain|company|email|mail|sample|yourdomain|your-?company|foo|acme)\.\w{2,8}(?:\.\w{2})?\Z",
    re.IGNORECASE,
)
_NOBODY: Final = word_set(
    "johndoe janedoe johnsmith joebloggs johnqpublic maxmustermann erikamustermann mustermann doe juanperez juanpérez fulano fulanodetal jeandupont "
    "mariorossi janjansen 홍길동 김철수 山田太郎 张三 李四 張三"
)
_FORM_OF_DATE: Final = lazy(
    r"(?=.*(?:YYYY|JJJJ|AAAA|yyyy))[YMDJTAHhmsydZ:/.\s-]{8,24}\Z|HH:MM(?::SS)?\Z|hh:mm(?::ss)?\Z"
)
_WANTS_SAMPLES: Final = lazy(
    r"\b(?:test|sample|example|dummy|demo|mock|fake|placeholder|random|made[- ]up|beispiel\w*|muster\w*|ejemplo|prueba|exemple|essai)\b|예시|테스트|샘플|例|テスト|测试|示例",
    re.IGNORECASE,
)
_COUNTING: Final = lazy(
    r"(?:[a-z]{1,12}[-_#]?)?(?:0?12345\d*|1234|123|0{4,}1?|1{5,}|9{5,}|[0-]{8,}|4111[ -]?1111[ -]?1111[ -]?1111)\Z",
    re.IGNORECASE,
)


@emits(
    Rule(
        name="arguments/placeholder",
        looks_at="Identifiers, keys, codes and addresses that hold a stand-in instead of a value: templates (`<id>`, `{{order_id}}`, "
        "YOUR_ID), words (me, current_user, string, TBD, the argument's own name), counting digits (12345) and sample addresses "
        "(user@example.com) nobody stated; names that stand for nobody (John Doe, Max Mustermann, 홍길동); the form of a date (YYYY-MM-DD).",
        why="The model did not have the value, or did not look. Servers often answer as if nothing were wrong. A literal that "
        'the schema or the tool\'s words offer ("me" for the signed-in user), or that the user stated, is no placeholder.',
        fails='get_booking(record_locator="my_booking")',
        passes='get_booking(record_locator="K7PQ2Z")',
        options={"allow": ([], "values that are real here although they look like placeholders")},
    )
)
def placeholder(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge identifier arguments that hold text; a template in another argument is a hint."""
    for s in sent(trace):
        for p in s.places:
            if not isinstance(p.value, str):
                continue
            if refers(p) or _TEMPLATE.match(p.value):
                found = _stand_in(s, p, config)
            else:
                found = _nobody(s, p, config)
            if found is not None:
                yield found


def _nobody(s: Sent, p: Place, config: Config) -> Check | None:
    """The names that stand for nobody (John Doe, 홍길동), and the form of a date in a date's place."""
    if not p.parameter.day and "name" not in p.parameter.tokens:
        return None
    allowed = config.option("arguments/placeholder", "allow", [], s.call.tool, p.path)
    if p.value in allowed or p.parameter.schema.get("enum") or p.parameter.free_text:
        return None
    if p.parameter.day and _FORM_OF_DATE.match(p.value.strip()):
        message = f"{p.path} wants a real value, got the form of one: {shown(p.value)}"
        return s.check("placeholder", "fail", message, place=p, grade="likely")
    if "name" not in p.parameter.tokens or re.sub(r"[\W_]+", "", p.value.casefold()) not in _NOBODY:
        return None
    now, earlier = user_texts(s.trace, s.call)
    if upstream(s.trace).has(p.value, s.call) or any(_WANTS_SAMPLES.search(text) for text in (*now, *earlier)):
        return None
    grade: Grade = "hint" if complete_before(s.trace, s.call) else "likely"
    message = f"{p.path} wants a real name, got {shown(p.value)}, which stands for nobody"
    return s.check("placeholder", "fail", message, place=p, grade=grade)


def _stand_in(s: Sent, p: Place, config: Config) -> Check | None:
    kind = _placeholder_kind(p.parameter, p.value)
    if p.parameter.free_text or p.parameter.schema.get("enum") or (not refers(p) and kind != "template"):
        return None
    allowed = config.option("arguments/placeholder", "allow", [], s.call.tool, p.path)
    if kind is None or p.value in allowed or _is_offered(s, p, kind):
        if not refers(p):
            return None
        return s.check("placeholder", "pass", f"{p.path} is no placeholder", place=p)
    grade: Grade = "proof" if kind == "template" else "likely"
    if not refers(p):
        grade = "hint"
    message = f"{p.path} wants a real value, got the placeholder {shown(p.value)}"
    return s.check("placeholder", "fail", message, place=p, grade=grade)


def _placeholder_kind(parameter: Parameter, value: str) -> str | None:
    if _TEMPLATE.match(value) and not value.strip().isdigit():
        return "template"
    squeezed = re.sub(r"[\W_]+", "", value.casefold())
    named = squeezed and not any(c.isdigit() for c in squeezed) and squeezed in _own_names(parameter)
    if squeezed in _WORDS or (named and parameter.identifier == "strong"):
        return "word"
    if _SHOUTED.fullmatch(value.strip()) and parameter.identifier == "strong":
        return "word"
    if _SAMPLE_ADDRESS.match(value.strip()) or reserved(value):
        return "stated"
    words = key_words(value)
    if (
        len(words) > 1
        and words[-1] in ("id", "uuid", "number", "key", "token")
        and value.islower()
        and not re.search(r"\d", value)
    ):
        return "word"
    if _MADE_UP.fullmatch(value.strip()) and len(value) <= 60 and parameter.identifier == "strong":
        return "stated"
    return "stated" if _COUNTING.fullmatch(value.strip()) and parameter.identifier == "strong" else None


def _own_names(parameter: Parameter) -> tuple[str, ...]:
    """The argument's own name, and the thing it identifies: `order_id` and `order`."""
    own = "".join(parameter.tokens)
    entity = "".join(t for t in parameter.tokens if t not in ("id", "ids", "uuid", "number", "no"))
    return own, own.rstrip("s"), entity


def _is_offered(s: Sent, p: Place, kind: str) -> bool:
    """Tell whether the schema, the tool's words, a result or the user offers this very value."""
    schema = p.parameter.schema
    literals = [schema.get("default"), schema.get("const"), schema.get("example"), *(schema.get("examples") or ())]
    if any(isinstance(v, str) and v == p.value for v in literals):
        return True
    known = upstream(s.trace)
    squeezed = re.sub(r"[\W_]+", "", p.value.casefold())
    if kind == "template" or squeezed in _EVERYDAY:
        said = re.compile(
            rf"[\"'`“‘]{re.escape(p.value)}[\"'`”’]|\b(?:use|or|pass|e\.g\.|special value|=)\s+{re.escape(p.value)}\b"
        )
        return said.search(p.parameter.words) is not None or known.has_literal(p.value, s.call)
    if kind == "word" and squeezed in _own_names(p.parameter):
        return known.has_literal(p.value, s.call) and not _is_a_name(s, p.value)
    # "bob at example dot com" spells it out.
    return known.has(p.value, s.call) or (reserved(p.value) and _composed(p, p.value, known, s))


def _is_a_name(s: Sent, value: str) -> bool:
    """The name of a parameter stands in quotes in every schema; that does not make it a value."""
    return any(value.casefold() == q.name.casefold() for q in s.table.values())


@emits(
    Rule(
        name="arguments/provenance",
        looks_at="Identifiers (ids, order numbers, booking codes, keys; e-mail addresses and international phone numbers in any argument "
        "that is no free text): does the value stand anywhere upstream - user and "
        "system messages, results of earlier steps, the tools' own words, what an earlier call was free to choose? Case, "
        "separators and prefix do not matter. Parallel calls cannot know each other's results. A date of birth must stand "
        "upstream too; other dates, amounts, names, and identifiers inside free text are a hint when they stand nowhere and "
        "follow from nothing that does.",
        why="An invented identifier acts on somebody else's order, and every schema accepts it. Small numbers, codes anyone "
        "knows and keys the caller chooses are not judged. Where part of what stood before was not captured the check is "
        "unscored, unless only the system message is missing and there is evidence: the user gave another identifier of that "
        "kind, the tool did not know this one, or only a parallel call returned it.",
        fails='user: "return order FW-511361"; create_return_label(order_id="FW-366698")',
        passes='create_return_label(order_id="FW-511361")',
        grade="likely",
    )
)
def provenance(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge identifier arguments of every attempt; a value invented once and sent again names its first place."""
    first: dict[tuple[str, str], str] = {}
    for s in sorted(sent(trace), key=lambda x: (x.call.step, x.call.message, x.call.index)):
        for p in s.places:
            if refers(p) and isinstance(p.value, str | int) and not isinstance(p.value, bool):
                yield from _sourced(s, p, first)


def _sourced(s: Sent, p: Place, first: dict[tuple[str, str], str]) -> Iterator[Check]:
    value = str(p.value)
    known = upstream(s.trace)
    if known.has(value, s.call):
        yield s.check("provenance", "pass", f"{p.path} stands in what came before", place=p)
        return
    looks = _looks_like_identifier(p)
    if looks == "no" or _composed(p, value, known, s) or _read_aloud(s, value) or dialled(s, value):
        return
    if p.parameter.caller_chosen or _chosen_before(s, value):
        yield s.check("provenance", "pass", f"{p.path} is for the caller to choose", place=p)
        return
    message = f"{p.path} is {shown(p.value)}, which stands in no message, earlier result, schema or default"
    missing = complete_before(s.trace, s.call)
    evidence = _evidence(s, p, value)
    if missing is not None and (evidence is None or not _all_but_the_system(s)):
        yield s.check("provenance", "unscored", f"{message}; but {missing}", place=p, got=p.value)
        return
    unit = s.unit(p.top)
    origin = first.setdefault((value.casefold(), p.parameter.name), unit)
    causes = (origin,) if origin != unit else ()
    grade: Grade = "likely" if looks == "yes" else "hint"
    said = _meant(s, p, value) or evidence
    yield s.check("provenance", "fail", f"{message}; {said}" if said else message, place=p, grade=grade, causes=causes)


def _all_but_the_system(s: Sent) -> bool:
    """Nothing but the text of the system message is missing before a call."""
    if s.trace.completeness.history != "full" or s.trace.completeness.results != "full":
        return False
    before = [m for m in s.trace.messages if m.index < s.call.message]
    results = [c.result for c in s.trace.calls if c.step < s.call.step]
    return all(m.text is not None or m.calls for m in before if m.role != "system") and all(
        r is not None and r.text is not None and not r.truncated for r in results
    )


def _evidence(s: Sent, p: Place, value: str) -> str | None:
    """Why a value is invented even where something that could have held it was not captured."""
    error = s.call.error
    if error is not None and error.kind in ("not_found", "validation"):
        named = {w for field in error.fields for w in key_words(field)} | set(key_words(error.message))
        about = [t for t in p.parameter.tokens if t not in ("id", "ids", "number", "code")]
        if in_text(value, error.message.casefold()) or (about and named >= set(about[:1])):
            return f"the tool answered {shown(error.message)}"
    # What another call was given for says nothing about this one.
    used = _identifiers_sent(s.trace)
    now, earlier = user_texts(s.trace, s.call)
    given = [x for text in (*now, *earlier) for x in alike(value, text) if _speaks_of(s, p, text, x)]
    if unused := [x for x in given if squeezed(x) not in used]:
        return f"the user gave {unused[0]}"
    for other in s.trace.steps[s.call.step].calls:
        returned = other.result.text if other.at != s.call.at and other.result else None
        if returned and in_text(value, returned.casefold()) and not sends(value, other):
            return f"only the parallel call {other.at} returned it"
    return None


@per_trace
def _identifiers_sent(trace: Trace) -> frozenset[str]:
    return frozenset(squeezed(str(q.value)) for s in sent(trace) for q in s.places if q.parameter.identifier)


_NOUNLESS: Final = word_set("id ids identifier uuid number no code key ref reference the of")


def _speaks_of(s: Sent, p: Place, text: str, given: str) -> bool:
    """The words around an identifier name the thing the argument identifies: "my user id is" says nothing of a receiver."""
    own = [t for t in p.parameter.tokens if t not in _NOUNLESS] or list(key_words(s.call.tool))
    at = text.find(given)
    around = {w.rstrip("s") for w in key_words(text[max(0, at - 40) : at + len(given) + 20])}
    return any(t.rstrip("s") in around for t in own)


def _meant(s: Sent, p: Place, value: str) -> str | None:
    """The identifier upstream that an invented one nearly is, and where it stands."""
    other = nearest(value, alike_before(s.trace, s.call, value))
    if other is None:
        return None
    return f"nearly {other} ({origin_of(s.trace, s.call, p.parameter, other)})"


# Digits and capitals in groups, as account and card numbers are written.
_IN_GROUPS: Final = lazy(r"(?=.*\d)[A-Z0-9]{2,6}(?: [A-Z0-9]{2,6}){2,8}")


def _looks_like_identifier(p: Place) -> str:
    """`yes` for what only a source can give, `maybe` for words that could be a choice, `no` for what is not judged."""
    if isinstance(p.value, int):
        return "yes" if abs(p.value) >= 1000 and p.parameter.identifier == "strong" else "maybe"
    value = p.value.strip()
    if is_phone(value):
        return "yes"
    if _IN_GROUPS.fullmatch(value):
        value = re.sub(r"\s", "", value)
    if not value or len(value) > 120 or re.search(r"\s.*\s", value):
        return "no"
    if re.fullmatch(r"[A-Za-z]{1,4}", value) or "://" in value:
        return "no"
    if "@" in value:
        return "yes"
    digits = sum(c.isdigit() for c in value)
    if digits == 0 or len(value) < 4:
        return "maybe"
    if p.parameter.identifier == "weak":
        # Keys and codes are often words with a number the caller picked (`top10`); ids made of many digits are not.
        return "yes" if digits >= 4 else "maybe"
    return "yes"


_PARTS: Final = lazy(r"[^\W_]+")
_ALPHABETIC: Final = lazy(r"[^\W\d_]+")


def _composed(p: Place, value: str, known: object, s: Sent) -> bool:
    """An address, a handle or a reference put together from words that stand upstream is derived, not invented."""
    if any(c.isdigit() for c in value):
        # "acme/web#12" for PR 12 in acme/web: the separators show that it is put together, and of at least two words.
        parts = [w for w in _PARTS.findall(value) if not w.isdigit()]
        if len(parts) < 2 or not re.search(r"[/#:@]", value):
            return False
        parts = _PARTS.findall(value)
    else:
        parts = [w for w in _ALPHABETIC.findall(value) if len(w) > 1]
    return bool(parts) and all(upstream(s.trace).has(w, s.call) for w in parts)


def _read_aloud(s: Sent, value: str) -> bool:
    """The user said the digits in words ("forty-seven eleven")."""
    digits = re.sub(r"\D", "", value)
    now, earlier = user_texts(s.trace, s.call)
    return len(digits) >= 3 and any(digits in spelled_digits(text) for text in (*now, *earlier))


def _chosen_before(s: Sent, value: str) -> bool:
    """An identifier that an earlier call was free to choose is known from then on."""
    return any(step < s.call.step and in_text(value, held) for step, held in _chosen(s.trace))


@per_trace
def _chosen(trace: Trace) -> tuple[tuple[int, str], ...]:
    """What calls were free to choose, case-folded, with the step of each call."""
    return tuple(
        (s.call.step, q.value.casefold())
        for s in sent(trace)
        for q in s.places
        if q.parameter.caller_chosen and isinstance(q.value, str)
    )
