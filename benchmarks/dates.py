"""Days in words: does the set of readings hold the day that was meant, and nothing else?

    python benchmarks/dates.py PATH [--bar] [--alone] [--quiet] [--next nearest|next-week|any] [--half development|held-out]

PATH is a JSONL file (gzip allowed) of rows `{"lang", "dim", "text", "reference", "expected"}` where `expected` holds
`grain` and either `iso` (kind `instant`) or `start` and `end` (kind `interval`). Looked at are the rows of dim Time and
grain day without named holidays, which are listed by name. Each text is read as it stands, against the day of
its reference. A text in which several expressions are found counts with all their readings together.

exact       the likeliest reading is the gold
acceptable  some reading is the gold (exact included)
wrong       there are readings, and none is the gold
mean_set    readings per row that has any
shifted     of the resolved rows, the share in which the gold shifted by 1 and by 7 days either way is graded wrong; a
            shifted day that another reading of the row holds is left out
shifted_any the share of shifted golds graded wrong when nothing is left out

The end of a gold stretch may be its last day or the day behind it: corpora differ, within one corpus too. dateparser
runs alone on the same rows, with the language and the reference given; it answers with one day, so a stretch counts
when the day is its first. Rows are split into halves by a hash of their gold, so that paraphrases of one day stand in
one half; only the development half was looked at while the grammar was written. The last line is one line of JSON.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from bugcases import load
from rootcall.config import DateConventions
from rootcall.evidence.dates import Reading, readings

BARS = {"acceptable": 0.80, "mean_set": 1.5, "wrong": 0.03, "shifted": 0.95}
Row = dict[str, Any]
Days = tuple[date, date]

HOLIDAYS = re.compile(
    r"""christmas|x-?mas|thanks?giving|easter|halloween|valentine|new\s+year|black\s+friday|cyber\s+monday|boss|mlk|martin\s+luther
    |civil\s+rights|memorial|labou?r\s+day|independence|columbus|veterans?|presidents?|father'?s?|mother'?s?|patrick|paddy|earth\s+(day|hour)
    |super\s?bowl|groundhog|april\s+fool|pi\s+day|emancipation|loyalty|parents'?|military|admin\w*\s+(professional|day)|secretar|commonwealth|world\s
    |boxing|bank\s+holiday|guy\s+fawkes|national|george|canada|victoria\s+day|anzac|bastille|koningsdag|king'?s\s+day|king'?s
    |lent|ash\s+wed|shrove|maundy|covenant|holy|mysteries|palm\s+sunday|branch\s+sunday|good\s+friday|pentecost|whit|trinity|ascension|corpus
    |pancake|mardi\s+gras|lazarus|orthodox|clean\s+monday|epiphany|assumption|all\s+(saints|souls)|advent|kwanzaa|nativity|saint|\bst\b
    |rosh|yom|sukk|hanuk|chanuk|hann?uk|passover|pesach|purim|shavu|simc|shemini|tish?a|lag\s+b|tu\s+b|holocaust|jewish
    |eid|\bid\b|ramadan|mawlid|ashura|muharram|isra|mi'raj|laylat|jam|jum|bakr|sacrifice|islamic|hijri|prophet|night\s+journey|power
    |diwali|deepavali|dhan|bhai|holi\b|holika|navar|durga|puja|dussehra|dasara|karv|rakh|raksha|maha|shiv|krishna|janmashtami|gokul|ganesh|vinayag
    |parsi|navroz|nowruz|vesak|vaisakh|buddha|guru|gobind|ravidas|valmiki|pargat|rama\b|ramnav|navami|ugadi|yugadi|samvat|chaitra|pongal|thai\s+pongal
    |onam|thiru|vasant|basant|saraswati|lohri|makar|kali\b|chhath|jayanti|gudi|bohag|bihu|mahavir|mela|tamil|lakshmi|nag\b|naraka|rath|chariot|kamudu
    |chinese\s+(lunar|new)|lunar|mid-?autumn|dragon\s+boat|tet\b|haatz|birthday|ides\s+of|haloween|trick|synaxis|vidhvansak|temperance|pyre|sabbat
    |jadid|dhulandi|phagwah|maghi|bogi|pandigai|gysd|youth|great|fast\b|feast|baisakhi|vaishakhi|vasakhi|vijayadashami|succos|shashthi|surya|amun
    |night\s+of
    |설날|추석|크리스마스|성탄|신정|구정|설\b|어린이날|광복절|삼일절|한글날|개천절|현충일|제헌절|석가탄신|부처님|노동절|어버이날|스승의|식목일|발렌타인|국군의|한가위|만우절""",
    re.IGNORECASE | re.VERBOSE,
)


def chosen(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """The rows that are looked at, and those left out for a named holiday."""
    day = [r for r in rows if r.get("dim", "Time") == "Time" and r["expected"].get("grain") == "day" and gold(r)]
    return [r for r in day if not HOLIDAYS.search(r["text"])], [r for r in day if HOLIDAYS.search(r["text"])]


def half(row: Row) -> str:
    """The half a row belongs to."""
    digest = hashlib.sha256((row["lang"] + row["expected"].get("raw", row["text"])).encode()).digest()
    return "held-out" if digest[0] % 2 else "development"


def gold(row: Row) -> Days | None:
    """First and last day of the gold; the end of a stretch as it is written."""
    e = row["expected"]
    first, last = (e.get("iso"), e.get("iso")) if e.get("kind") == "instant" else (e.get("start"), e.get("end"))
    return (date.fromisoformat(first[:10]), date.fromisoformat(last[:10])) if first and last else None


def meant(row: Row, found: Sequence[Days], shift: int = 0) -> int | None:
    """The index of the first answer that is the gold, or None."""
    wanted = gold(row)
    assert wanted is not None
    start, end = (d + timedelta(days=shift) for d in wanted)
    ends = (end,) if start == end else (end, end - timedelta(days=1))
    return next((i for i, (a, b) in enumerate(found) if a == start and b in ends), None)


def ours(row: Row, conventions: DateConventions) -> list[Days]:
    """All readings of a text, the likeliest first."""
    reference = datetime.fromisoformat(row["reference"]).date()
    found: list[Reading] = [r for e in readings(row["text"], reference) for r in e.under(conventions).readings]
    return list(dict.fromkeys((r.start, r.end) for r in found))


def theirs(row: Row) -> list[Days]:
    """What dateparser says of the text alone."""
    import dateparser

    reference = datetime.fromisoformat(row["reference"]).replace(tzinfo=None)
    settings: Any = {"RELATIVE_BASE": reference, "PREFER_DATES_FROM": "future"}
    found = dateparser.parse(row["text"], languages=[row["lang"].lower()], settings=settings)
    wanted = gold(row)
    assert wanted is not None
    return [] if found is None else [(found.date(), wanted[1] if found.date() == wanted[0] else found.date())]


class Tally(msgspec.Struct):
    """What was counted over some rows."""

    rows: int = 0
    exact: int = 0
    acceptable: int = 0
    wrong: int = 0
    readings: int = 0
    shifts_held: int = 0
    shifted_rows: int = 0
    shifted_right: int = 0

    def add(self, row: Row, found: Sequence[Days]) -> None:
        """Count one row."""
        self.rows += 1
        if not found:
            return
        index = meant(row, found)
        self.exact += index == 0
        self.acceptable += index is not None
        self.wrong += index is None
        self.readings += len(found)
        self.shifted(row, found, index)

    def shifted(self, row: Row, found: Sequence[Days], index: int | None) -> None:
        """Count the shifted golds of a resolved row. Only a reading that is not the gold's own can hold one rightly."""
        others = [f for i, f in enumerate(found) if i != index]
        tried = [s for s in (-7, -1, 1, 7) if index is None or meant(row, others, s) is None]
        failed = [s for s in tried if meant(row, found, s) is None]
        self.shifts_held += sum(meant(row, found, s) is not None for s in (-7, -1, 1, 7))
        self.shifted_rows += bool(tried)
        self.shifted_right += bool(tried) and len(failed) == len(tried)

    def figures(self) -> dict[str, float]:
        """The shares; an empty count gives 0."""
        resolved = self.acceptable + self.wrong
        return {
            "rows": self.rows,
            "resolved": share(resolved, self.rows),
            "exact": share(self.exact, self.rows),
            "acceptable": share(self.acceptable, self.rows),
            "wrong": share(self.wrong, self.rows),
            "mean_set": share(self.readings, resolved),
            "shifted": share(self.shifted_right, self.shifted_rows),
            "shifted_any": 1 - share(self.shifts_held, 4 * resolved),
        }


def share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def tally(rows: Iterable[Row], answer: Callable[[Row], list[Days]]) -> Tally:
    counted = Tally()
    for row in rows:
        counted.add(row, answer(row))
    return counted


def table(rows: Sequence[Row], answer: Callable[[Row], list[Days]]) -> dict[str, dict[str, float]]:
    """The figures in all, by language and by half."""
    groups = {"all": list(rows)}
    for row in rows:
        groups.setdefault(row["lang"], []).append(row)
    for name in ("development", "held-out"):
        groups[name] = [r for r in rows if half(r) == name]
    return {name: tally(members, answer).figures() for name, members in groups.items()}


def show(title: str, figures: dict[str, dict[str, float]]) -> None:
    print(f"\n{title:<18}" + "".join(f"{k:>12}" for k in figures["all"]))
    for name, values in figures.items():
        print(f"{name:<18}" + "".join(f"{v:>12g}" for v in values.values()))


def errors(rows: Iterable[Row], conventions: DateConventions) -> None:
    for row in rows:
        found = ours(row, conventions)
        if not found or meant(row, found) is None:
            wanted = gold(row)
            assert wanted is not None
            said = " | ".join(f"{a}..{b}" if a != b else str(a) for a, b in found)
            print(
                f"{'wrong' if found else 'unresolved':<11}{row['lang']:<4}{row['text']!r}  gold {wanted[0]}..{wanted[1]}  {said}"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("path", type=Path)
    parser.add_argument("--bar", action="store_true", help="exit with 1 below the bars")
    parser.add_argument(
        "--quiet", action="store_true", help="do not list the rows left out, nor what is unresolved or wrong"
    )
    parser.add_argument(
        "--next", choices=["nearest", "next-week", "any"], default="any", help="the declared convention"
    )
    parser.add_argument("--half", choices=["development", "held-out"], help="only this half")
    parser.add_argument("--alone", action="store_true", help="without dateparser beside it")
    options = parser.parse_args()
    rows, left_out = chosen(load(options.path))
    if options.half:
        rows = [r for r in rows if half(r) == options.half]
    if not rows:
        print(f"{options.path}: no rows of dim Time and grain day", file=sys.stderr)
        return 2
    conventions = DateConventions(next=options.next)
    print(
        f"{len(rows)} day expressions, {len(left_out)} left out for a named holiday; convention next = {options.next}"
    )
    started = time.perf_counter()
    mine = table(rows, lambda row: ours(row, conventions))
    seconds = (time.perf_counter() - started) / 2
    show("rootcall", mine)
    figures: dict[str, Any] = dict(mine["all"])
    if not options.alone:
        alone = table(rows, theirs)
        show("dateparser alone", alone)
        figures["dateparser"] = {k: alone["all"][k] for k in ("acceptable", "wrong")}
    if not options.quiet:
        print("\nunresolved or wrong")
        errors(rows, conventions)
        names = " | ".join(dict.fromkeys(r["text"] for r in left_out))
        print("\nleft out for a named holiday\n" + textwrap.fill(names, 150, break_long_words=False))
    figures |= {"development": mine["development"]["acceptable"], "held_out": mine["held-out"]["acceptable"]}
    figures["milliseconds_a_row"] = round(seconds * 1000 / len(rows), 3)
    print(json.dumps(figures))
    met = all(figures[k] <= v if k in ("mean_set", "wrong") else figures[k] >= v for k, v in BARS.items())
    return 1 if options.bar and not met else 0


if __name__ == "__main__":
    sys.exit(main())
