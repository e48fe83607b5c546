"""Regular expressions of cases, in the dialect in which a schema's `pattern` is read: that of JSON Schema.

Both are asked of the same engine, so that the same pattern says the same in a case and in a schema. It gives up on
patterns that take too long; what follows from that is the caller's.
"""

from __future__ import annotations

import functools
import unicodedata
from typing import Any, Final

__all__ = ["TooCostly", "pattern_fault", "searched"]

_GAVE_UP: Final = ("BacktrackLimitExceeded", "RegexEngineFailure")


class TooCostly(Exception):  # noqa: N818 -- nothing is wrong with the pattern or the text
    """A pattern could not be tried on a text to the end."""


def pattern_fault(pattern: str) -> str | None:
    r"""Say why a pattern cannot be used, or None.

    The dialect is ECMA-262's: `$` is the very end, `\d` and `\w` are ASCII, letters of any script are `\p{L}`; `\Z` and
    `(?P<…>)` do not exist. Lookaround, backreferences and `(?i)` do.
    """
    import jsonschema_rs

    try:
        _compiled(unicodedata.normalize("NFC", pattern))
    except jsonschema_rs.ValidationError:
        return f"no regular expression of JSON Schema{_hint(pattern)}"
    except ValueError:
        return "it is no Unicode text"
    return None


def _hint(pattern: str) -> str:
    for written, instead in (("\\Z", "$"), ("(?P<", "a group without a name"), ("(?P=", "\\1"), ("(?>", "(?:")):
        if written in pattern:
            return f": it has no {written}; write {instead}"
    return ""


def searched(pattern: str, text: str) -> bool:
    """Tell whether a pattern is found in a text, both in Unicode normal form C.

    Raises:
        TooCostly: the engine gave up.
    """
    validator = _compiled(unicodedata.normalize("NFC", pattern))
    try:
        text = unicodedata.normalize("NFC", text)
        if validator.is_valid(text):
            return True
        if any(type(e.kind).__name__ in _GAVE_UP for e in validator.iter_errors(text)):
            raise TooCostly(pattern)
    except ValueError:  # half of a character, which the engine cannot be given
        return bool(validator.is_valid(text.encode("utf-16", "replace").decode("utf-16", "replace")))
    return False


@functools.lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator({"pattern": pattern})
