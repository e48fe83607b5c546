"""What a tool says about each of its arguments: an identifier, a date, a code everybody knows, free text.

Owns reading names, schemas and descriptions of parameters, nested ones included, once per tool. Everything here is known
before a value is looked at. The unit of a number is `rootcall.evidence.units`', the class of an argument in a
conversation `rootcall.evidence.argument_class`'s.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

import msgspec

from rootcall.evidence.schema_forms import normalized, resolve
from rootcall.evidence.words import key_words, word_set
from rootcall.jsonvalue import join_path
from rootcall.lazypattern import Hinted, lazy
from rootcall.trace import Tool, per_record

__all__ = ["Parameter", "parameter_at", "parameters"]


class Parameter(msgspec.Struct, frozen=True):
    """One argument of a tool, or one place inside it. `path` writes list places as `[]` (`flights[].date`).

    `identifier` is `strong` for what can only be a reference to a thing (`order_id`, "Booking code"), `weak` for keys,
    codes and addresses, else ``. `caller_chosen` marks identifiers the caller is to make up. `common_code` marks codes
    that anyone knows (currency, country, airport). `day` says which kind of date or time is wanted and `day_by` how
    that is known: from the schema, from the words, or from the name alone.
    """

    name: str
    path: str
    tool: str = ""
    description: str = ""
    tool_description: str = ""
    schema: Mapping[str, Any] = {}
    declared: bool = False
    tokens: tuple[str, ...] = ()
    types: frozenset[str] = frozenset()
    identifier: Literal["strong", "weak", ""] = ""
    caller_chosen: bool = False
    common_code: bool = False
    free_text: bool = False
    day: Literal["date", "date-time", "time", ""] = ""
    day_by: Literal["schema", "words", "name", ""] = ""

    @property
    def words(self) -> str:
        """All that the tool says about this argument."""
        return f"{self.description}\n{self.tool_description}"

    def takes(self, *types: str) -> bool:
        """Tell whether a type is wanted; an undeclared type may be any."""
        return not self.types or any(t in self.types for t in types)


def parameters(tool: Tool | None) -> Mapping[str, Parameter]:
    """Return the parameters of a tool by path, nested ones included; empty for an unknown tool or schema."""
    return {} if tool is None else _of_tool(tool)


@per_record
def _of_tool(tool: Tool) -> Mapping[str, Parameter]:
    if not isinstance(tool.schema, Mapping):
        return {}
    try:
        text = _written(tool.schema)
    except (TypeError, ValueError, RecursionError):
        return {}
    return _parameters(text, tool.name, tool.description or "")


def _written(schema: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(schema, order="sorted")
    except (TypeError, UnicodeEncodeError):  # keys that are no text, half of a character
        return json.dumps(schema, sort_keys=True).encode()


@functools.lru_cache(maxsize=2048)
def _parameters(text: bytes, tool: str, description: str) -> Mapping[str, Parameter]:
    root = normalized(json.loads(text))
    return {p.path: p for p in _below(root, root, "", tool, description, 0)}


_HOLDERS: Final = frozenset({"properties", "items", "$ref", "anyOf", "oneOf", "allOf"})


def _below(schema: Any, root: Mapping[str, Any], path: str, tool: str, about: str, depth: int) -> Iterator[Parameter]:
    if depth > 5:
        return
    found = resolve(schema, root)
    properties = found.get("properties")
    for name, raw in properties.items() if isinstance(properties, Mapping) else ():
        inner = resolve(raw, root)
        where = join_path(path, name)
        yield _parameter(name, where, inner, tool, about)
        if not _HOLDERS.isdisjoint(inner):
            yield from _below(inner, root, where, tool, about, depth + 1)
    items = found.get("items")
    if isinstance(items, Mapping) and path:
        inner = resolve(items, root)
        name = re.split(r"[.\[]", path.replace("[]", ""))[-1]
        # Entries of a list go by the name and the words of the list.
        described = {"description": found.get("description", ""), **inner}
        yield _parameter(name, path + "[]", described, tool, about)
        yield from _below(inner, root, path + "[]", tool, about, depth + 1)


_INDEX: Final = lazy(r"\[\d+\]")


def parameter_at(
    table: Mapping[str, Parameter], path: str, tool: Tool | None, name: str, called: str = ""
) -> Parameter:
    """Return the parameter at the path of a value (`flights[0].date`); what is undeclared is known by its name alone.

    `called` is the name of the tool where the tool itself is not known.
    """
    general = _INDEX.sub("[]", path) if "[" in path else path
    known = table.get(general)
    if known is not None:
        return known
    return _undeclared(tool.name if tool else called, (tool.description if tool else "") or "", name, general)


@functools.lru_cache(maxsize=4096)
def _undeclared(tool: str, about: str, name: str, path: str) -> Parameter:
    return msgspec.structs.replace(_parameter(name, path, {}, tool, about), declared=False)


def _parameter(name: str, path: str, schema: Mapping[str, Any], tool: str, about: str) -> Parameter:
    said = schema.get("description")
    description = said if isinstance(said, str) else ""
    if isinstance(schema.get("title"), str) and not description:
        description = schema["title"]
    listed = schema.get("type")
    types = frozenset(listed if isinstance(listed, list) else [listed] if isinstance(listed, str) else [])
    tokens = key_words(name)
    day, day_by = _day_wanted(tokens, schema, description, about, types)
    common = _is_common_code(tokens, description)
    free = _is_free_text(tokens, description)
    closed = bool(schema.get("enum")) or "const" in schema or schema.get("type") == "boolean"
    identifier: Literal["strong", "weak", ""] = ""
    if not (closed or day or common or free):
        identifier = _identifier(tokens, description, types)
    return Parameter(
        name=name,
        path=path,
        tool=tool,
        description=description,
        tool_description=about,
        schema=schema,
        declared=True,
        tokens=tokens,
        types=types,
        identifier=identifier,
        caller_chosen=bool(identifier) and _is_caller_chosen(name, tokens, description, tool),
        common_code=common,
        free_text=free,
        day=day,
        day_by=day_by,
    )


_STRONG_NAMES: Final = word_set(
    "id ids identifier identifiers uuid uuids guid locator locators pnr iban sku skus vin imei isbn asin objectid"
)
_WEAK_NAMES: Final = word_set(
    "key keys code codes token tokens ref refs reference references number numbers no nr num email emails mail phone "
    "handle username login serial barcode account voucher coupon ticket"
)
_BARE_NAMES: Final = word_set("key code token ref reference number no nr num handle username login slug")
_OTHER_NUMBERS: Final = word_set(
    "nummer hausnummer zimmernummer seitennummer telefonnummer handynummer mobilnummer faxnummer rufnummer zeilennummer versionsnummer"
)
_STRONG_WORDS: Final = Hinted(
    r"\b(?:ids?|identifiers?|uuid|guid|locator|identificador|identifiant|kennung|\w*nummer|kenn?ziffer)\b"
    r"|\b(?:order|account|booking|reservation|customer|case|ticket|invoice|tracking|confirmation|policy|member|claim|patient|"
    r"reference|contract|parcel|shipment|serial|employee|record|application)\s+(?:number|code|no\.|reference)\b"
    r"|(?:número|numero|código|codigo)\s+de|numéro\s+de|référence|번호|식별자|아이디|番号|識別子|编号|編號|号码|標識|标识|单号",
    "id locator kennung nummer ziffer number code no. reference numero codigo",
)
# "The ID of the user" is an identifier, "The function to process the ID" is none: what comes before the first
# preposition says what the argument is.
_HEAD_END: Final = lazy(
    r"[.,;:(]|\s(?:of|for|to|from|in|on|that|which|with|whose|used|by|as|der|des|für|zum|para|pour)\s", re.IGNORECASE
)
_NUMBERED: Final = Hinted(
    r"\b(\w+) (?:number|no\.?|code|reference)\Z",
    "_number _no _code _reference",
)
_PLAIN_NUMBERS: Final = word_set(
    "phone mobile telephone fax room house floor page line flight version section chapter seat the a real whole integer source "
    "python serial random bar qr access"
)
_COUNTED: Final = Hinted(
    r"\b(?:number|count|amount|how many|anzahl|número|nombre)\s+(?:of|de|von)?\b",
    "number count amount many anzahl nombre",
)
_COMMON: Final = word_set(
    "country currency language lang locale airport iata icao airline carrier zip postal postcode plz region state province "
    "area timezone tz color colour status http exit error symbol ticker mime unit units dial gender hs naics sort group "
    "partition primary foreign cache object answer month year page line row column version port step sequence"
)
_COMMON_WORDS: Final = Hinted(
    r"\b(?:IATA|ICAO|ISO[ -]?(?:3166|4217|639)|BCP ?47|country|currency|language|postal|zip|area|reason|status|error|"
    r"airport|two[- ]letter|three[- ]letter|two letters|three letters|ticker|stock symbol|hex)\b",
    "iata icao iso bcp country currency language postal zip area reason status error airport letter ticker stock hex",
)
_FREE: Final = word_set(
    "text body message note notes content contents description comment comments summary title subject caption reason prompt "
    "question query queries q search keyword keywords term terms sql expression script command url uri link href path "
    "filename file html markdown thought instructions instruction details feedback snippet pattern regex filter formula "
    "jql contains phrase topic intent"
)
_SOURCE_CODE: Final = Hinted(
    r"\b(?:python|javascript|typescript|source|program|snippet|to (?:run|execute)|script)\b",
    "python script source program snippet to_run to_execute",
)
_CHOSEN: Final = Hinted(
    r"\b(?:idempoten\w*|nonce|(?:chosen|generated|provided|supplied|made up|invented|created|picked)\s+by\s+(?:the\s+)?(?:caller|client|"
    r"agent|you)|you\s+(?:choose|pick|generate)|choose\s+a|pick\s+a|unique\s+(?:key|id|token|name|value|reference)\s+(?:for|per)|"
    r"client[- ](?:generated|side|chosen)|random|correlation|deduplicat\w*|new\s+(?:unique\s+)?(?:id|identifier|name))\b|임의|중복 방지",
    "idempot nonce by choose pick generat unique client random correlation dedup new",
)
_CHOSEN_NAMES: Final = word_set("idempotency nonce correlation dedup dedupe dedupekey requestid")
_CREATES: Final = word_set("create add new insert put register define make upsert generate init start open set")


_ADDRESS_WORDS: Final = Hinted(
    r"\be-?mail(?:[- ]?address(?:es)?)?\s*$|\be-?mail[- ]?address|\bE-Mail-Adresse|correo electrónico|adresse (?:e-?mail|électronique)|이메일|メールアドレス|邮箱|电子邮件地址",
    "mail",
)


def _identifier(tokens: tuple[str, ...], description: str, types: frozenset[str]) -> Literal["strong", "weak", ""]:
    if types and not types & {"string", "integer", "number", "array"}:
        return ""
    named = _named_identifier(tokens)
    text = not types or "string" in types or "array" in types
    if (not named and not text) or _COUNTED.search(description) is not None:
        return ""
    if named == "strong":
        return "strong"
    if text:
        head = _HEAD_END.split(description, maxsplit=1)[0]
        if _STRONG_WORDS.search(head[:60]):
            return "strong"
        numbered = _NUMBERED.search(head[:40])
        if numbered and numbered.group(1).lower() not in _PLAIN_NUMBERS:
            return "strong"
        if _ADDRESS_WORDS.search(head[:60]):
            return "weak"
    if named == "weak":
        if tokens[-1] in ("number", "numbers", "no", "nr", "num") and len(tokens) > 1:
            return "strong" if "string" in types else "weak" if text else ""
        return "weak" if text and (len(tokens) > 1 or tokens[-1] not in ("number", "no", "num")) else ""
    return ""


def _named_identifier(tokens: tuple[str, ...]) -> Literal["strong", "weak", ""]:
    """What the name alone says; the words of an identifier that counts something speak against it."""
    if not tokens:
        return ""
    if any(t in _STRONG_NAMES for t in tokens[-2:]):
        return "strong"
    if tokens[-1] not in _OTHER_NUMBERS and tokens[-1].endswith(("nummer", "kennung")):
        return "strong"
    return "weak" if tokens[-1] in _WEAK_NAMES else ""


def _is_common_code(tokens: tuple[str, ...], description: str) -> bool:
    if any(t in _STRONG_NAMES for t in tokens[-1:]):
        return False
    return any(t in _COMMON for t in tokens) or (
        len(description) <= 80 and _COMMON_WORDS.search(description) is not None
    )


def _is_free_text(tokens: tuple[str, ...], description: str) -> bool:
    if tokens and tokens[-1] in _FREE:
        return True
    return tokens[-1:] == ("code",) and _SOURCE_CODE.search(description) is not None


def _is_caller_chosen(name: str, tokens: tuple[str, ...], description: str, tool: str) -> bool:
    if (
        _CHOSEN.search(description)
        or any(t in _CHOSEN_NAMES for t in tokens)
        or name.lower() in ("request_id", "requestid")
    ):
        return True
    verb, *rest = key_words(tool) or ("",)
    entity = [t for t in tokens if t not in _STRONG_NAMES and t not in _BARE_NAMES]
    # create_alert(alert_id=…) names what it creates; create_alert(station_id=…) names what is there already.
    return verb in _CREATES and all(t in rest for t in entity)


_ISO_WORDS: Final = lazy(
    r"YYYY|\bISO[ -]?8601\b|\bRFC[ -]?3339\b|\bISO (?:date|format|day|time)|yyyy|JJJJ|AAAA|\bDD[./-]MM\b|\bMM[./-]DD\b"
)
_TIME_WORDS: Final = lazy(r"HH:|hh:|T\d\d:|\boffset\b|date-?time|time ?stamp|RFC[ -]?3339", re.IGNORECASE)
_DATE_PATTERN: Final = lazy(r"(?:\\d|\[0-9\])\{4\}\)?[-/]")
_DAY_NAMES: Final = word_set("date dates datetime day deadline dob birthday birthdate checkin checkout")
_DAY_WORD: Final = Hinted(
    r"^(?:the\s+)?(?:\w+\s+)?(?:date|day)\b(?!s)|\bdate of\b|날짜|일자|datum\b|\bfecha\b|日付|日期",
    "date day datum fecha",
)
_NOT_A_DAY: Final = Hinted(
    r"weekday|day of (?:the )?(?:week|month|year)|name of (?:the|a) day|요일",
    "day",
)

Day = Literal["date", "date-time", "time", ""]
DayBy = Literal["schema", "words", "name", ""]


def _day_wanted(
    tokens: tuple[str, ...], schema: Mapping[str, Any], description: str, about: str, types: frozenset[str]
) -> tuple[Day, DayBy]:
    """Which kind of date is wanted, and how that is known."""
    form = schema.get("format")
    if form in ("date", "date-time", "time"):
        return form, "schema"
    if (types and "string" not in types) or schema.get("enum") or _NOT_A_DAY.search(description):
        return "", ""
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and _DATE_PATTERN.search(pattern):
        return ("date-time" if "T" in pattern or ":" in pattern else "date"), "schema"
    named = any(t in _DAY_NAMES for t in tokens) and not _is_free_text(tokens, "")
    dated = named or _DAY_WORD.search(description) or "YYYY" in description.upper() or "8601" in description
    if dated and "duration" not in description.lower() and len(description) <= 300 and _ISO_WORDS.search(description):
        return ("date-time" if _TIME_WORDS.search(description) else "date"), "words"
    if named:
        return "date", "words" if _ISO_WORDS.search(about) else "name"
    if tokens and tokens[-1] in ("time", "times") and not {"timeout", "zone", "duration", "number"} & set(tokens):
        return "time", "name"
    if _DAY_WORD.search(description) and len(description) <= 60:
        return "date", "words" if _ISO_WORDS.search(about) else "name"
    return "", ""
