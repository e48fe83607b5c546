"""Values that are an e-mail address or a phone number by their own shape, whatever their argument is called.

`to`, `recipient` or `cc` say nothing of what they hold; an address or a number there identifies somebody all the same.
Owns the shapes and the spellings of phone numbers; whether one is invented is `rootcall.layers.arguments.sources`'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rootcall.evidence.number_words import spelled_digits
from rootcall.layers.arguments.common import Place, Sent
from rootcall.lazypattern import lazy

__all__ = ["dialled", "is_phone", "refers", "reserved"]

_ADDRESS: Final = lazy(r"[\w.+%'-]{1,64}@[^\W_](?:[\w-]{0,62}\.)+[^\W\d_]{2,24}")
# Set aside for examples: nobody has an address there.
_RESERVED: Final = lazy(r"\S+@(?:[\w-]+\.)*example\.(?:com|org|net)")
_PHONE: Final = lazy(r"(?:\+|00)?\(?\d(?:[\s()/-]{0,3}\d){7,14}")
_INTERNATIONAL: Final = lazy(r"\+|00[1-9]")
_SPOKEN: Final = lazy(r"\d(?:[\s()./-]{0,3}\d){6,16}")
_LEAST_DIGITS: Final = 7


def refers(p: Place) -> bool:
    """Tell whether an argument identifies something: by its name and words, or since it holds an address or a phone number.

    Without a name that says so a phone number must be an international one; other digits may be anything.
    """
    if p.parameter.identifier:
        return True
    if not isinstance(p.value, str) or p.parameter.free_text or p.parameter.schema.get("enum") or p.parameter.day:
        return False
    value = p.value.strip()
    if len(value) > 120:
        return False
    if "@" in value and _ADDRESS.fullmatch(value) is not None:
        return True
    return _INTERNATIONAL.match(value) is not None and is_phone(value)


def reserved(value: str) -> bool:
    """Tell whether an address lies in a domain that is set aside for examples."""
    return len(value) <= 120 and _RESERVED.fullmatch(value.strip().lower()) is not None


def is_phone(value: str) -> bool:
    """Tell whether a text is a phone number of eight to fifteen digits, in groups or with the code of a country."""
    value = value.strip()
    grouped = re.search(r"\D", value) is not None
    return grouped and re.fullmatch(r"\d{4}-\d\d-\d\d", value) is None and _PHONE.fullmatch(value) is not None


def dialled(s: Sent, value: str) -> bool:
    """Tell whether a phone number stood before a call without the code of its country, in any spelling or read aloud."""
    if not is_phone(value):
        return False
    digits = re.sub(r"\D", "", value)
    return any(len(n) >= _LEAST_DIGITS and digits.endswith(n) for text in _before(s) for n in _numbers(text))


def _numbers(text: str) -> Iterator[str]:
    """The phone numbers a text may hold, without the zero they begin with at home."""
    yield from (re.sub(r"\D", "", m.group()).lstrip("0") for m in _SPOKEN.finditer(text))
    yield from (n.lstrip("0") for n in spelled_digits(text))


def _before(s: Sent) -> Iterator[str]:
    """What the user and the system said before a call, and what earlier steps returned."""
    yield from (
        m.text for m in s.trace.messages if m.text and m.role in ("user", "system") and m.index < s.call.message
    )
    yield from (c.result.text for c in s.trace.calls if c.step < s.call.step and c.result is not None and c.result.text)
