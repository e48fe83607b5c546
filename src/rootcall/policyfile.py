"""Policy files: what may stand in a policy, and reading one from YAML or JSON with the line of each rule.

A key nobody reads, a path that is none and a test that cannot be meant are faults, since each would make a rule pass in
silence. All faults of a file are collected. Whether a condition holds at a call is `rootcall.conditions`'.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeGuard

from rootcall.case import matcher
from rootcall.casetext import Lines, json_items, lines_under, second_document, unusable_value, yaml_items
from rootcall.errors import PolicyError
from rootcall.evidence.clock import moment_of
from rootcall.jsonvalue import LISTS, MISSING, OBJECTS, describe, join_path
from rootcall.policy import Earlier, Policy, PolicyRule, place_named
from rootcall.trace import Source

__all__ = ["AMOUNTS", "MAX_BYTES", "RELATIONS", "read_policy", "read_policy_file"]

_TOP_KEYS: Final = ("results", "rules")
_RULE_KEYS: Final = ("tool", "when", "requires", "confirm", "at_most", "never_with", "per", "bound", "grade", "says")
_DEMANDS: Final = ("requires", "confirm", "at_most", "never_with", "bound")
_PER: Final = ("requires", "at_most", "never_with")
_GRADES: Final = ("proof", "likely", "hint")

MAX_BYTES: Final = 500_000
"""How large a policy file may be. YAML is read slowly, and nobody keeps ten thousand rules in mind."""

RELATIONS: Final = ("in", "not_in", "same_as", "at_least", "at_most", "after", "before", "count")
"""How a value can stand to others; `count` asks about how many there are and not about each."""

AMOUNTS: Final = ("count", "sum", "plus", "minus", "times", "larger", "smaller", "pick")
"""What a number can be made of, beside a number and a path to one. `pick` stands with `of`, its table."""


def read_policy(data: object, *, source: Source | None = None, where: str = "") -> tuple[Policy, list[str]]:
    """Build a policy from its object: a list of rules, or `results` and `rules`.

    Args:
        data: the object.
        source: where the policy stands, for its rules.
        where: what stands before the key in a fault.

    Returns:
        The policy without what is wrong, and the faults, each at its place.
    """
    reader = _Reader(_Places(), source or Source(), where)
    policy = reader.policy(data)
    return policy, [text for _, text in reader.faults]


def read_policy_file(path: Path) -> tuple[Policy, list[str]]:
    """Read a policy file, YAML or JSON: a list of rules, or one object with `results` and `rules`, also under `policy`.

    Returns:
        The policy, and every fault as `file:line: what`.

    Raises:
        PolicyError: the file cannot be read, is larger than `MAX_BYTES`, or holds no policy at all.
    """
    text = _text(path)
    yaml = path.suffix.lower() in (".yaml", ".yml")
    items = list((yaml_items if yaml else json_items)(text))
    broken = [f"{path}:{line}: {item}" for line, item in items if isinstance(item, ValueError)]
    if broken:
        return Policy(), broken
    if not items or (len(items) == 1 and items[0][1] is None):
        raise PolicyError(f"{path}: holds no policy")
    second = second_document(text) if yaml else None
    if second is not None:
        raise PolicyError(f"{path}:{second}: a second document begins; a policy file holds one, with all its rules")
    alone = items[0][1] if len(items) == 1 and isinstance(items[0][1], OBJECTS) else None
    data: object = [item for _, item in items]
    places = _Places(rules=[line for line, _ in items])
    if alone is not None and "tool" not in alone:
        data = alone["policy"] if len(alone) == 1 and "policy" in alone else alone
        top, rules, results = lines_under(text, ("policy",), ("policy", "rules"), ("policy", "results"))
        places = _Places(top, rules.members, results.keys)
    reader = _Reader(places, Source(str(path)), "")
    policy = reader.policy(data)
    return policy, [f"{path}:{'' if line is None else f'{line}:'} {fault}" for line, fault in reader.faults]


def _text(path: Path) -> str:
    """The text of a policy file.

    Raises:
        PolicyError: it cannot be read, is no text, or too large.
    """
    try:
        with path.open("rb") as file:
            found = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PolicyError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # a name that no file can have
        raise PolicyError(f"{str(path)!r}: cannot be read: {error}") from None
    if len(found) > MAX_BYTES:
        raise PolicyError(f"{path}: larger than {MAX_BYTES:,} bytes, which is more than a policy file may hold")
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PolicyError(f"{path}: not UTF-8 (byte {error.start})") from None


class _Places(NamedTuple):
    """The lines of a file: of its keys, of each rule, and of each name of `results`; nothing where none is known."""

    top: Lines = Lines()
    rules: Sequence[int] = ()
    results: Mapping[str, int] = {}


class _Reader:
    """Reads one policy and collects what is wrong with it."""

    def __init__(self, places: _Places, source: Source, where: str) -> None:
        self.places, self.lines, self.source, self.where = places, places.rules, source, where
        self.line: int | None = None
        self.faults: list[tuple[int | None, str]] = []

    def fault(self, text: str, line: int | None = None) -> None:
        self.faults.append((self.line if line is None else line, f"{self.where}{text}"))

    def known(self, at: str, data: Mapping[Any, Any], known: tuple[str, ...]) -> set[str]:
        """Name the keys that nobody reads; the keys that were probably meant come back."""
        meant = set[str]()
        for key in data:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(known)}"
                self.fault(f"unknown key {at}{key}; {hint}", None if at else self._line_of_key(key))
                meant.update(near)
        return meant

    def _line_of_key(self, key: object) -> int | None:
        return self.line or self.places.top.keys.get(str(key))

    def policy(self, data: object) -> Policy:
        wrong = unusable_value(data, name="a policy")
        if wrong is not None:
            self.fault(wrong, self._line_within(wrong))
            return Policy()
        if _is_list(data):
            data = {"rules": data}
        if not isinstance(data, OBJECTS):
            self.fault(f"a policy must be a list of rules, or an object with rules, got {describe(data)}")
            return Policy()
        meant = self.known("", data, _TOP_KEYS)
        results = self.results(data.get("results", {}))
        listed = data.get("rules", MISSING)
        if not _is_list(listed):
            if "rules" not in meant:  # else it follows from the first fault
                self.fault(f"rules must be a list, got {describe(listed)}", self._line_of_key("rules"))
            return Policy(results=results)
        if listed and not any(isinstance(item, OBJECTS) and any(key in item for key in _RULE_KEYS) for item in listed):
            # Another kind of file: one line says so, not one for each of its keys.
            self.line = self.lines[0] if self.lines else None
            self.fault(f"a rule must be an object with a tool and what it asks for, got {describe(listed[0])}")
            return Policy(results=results)
        rules = []
        for i, item in enumerate(listed):
            self.line = self.lines[i] if i < len(self.lines) else None
            place = Source(self.source.file, self.line or self.source.line, "" if self.line else f"rules[{i}]")
            rule = self.rule("" if self.line else f"rules[{i}].", item, place)
            if rule is not None:
                rules.append(rule)
        self.line = None
        self.contradictions(rules)
        return Policy(tuple(rules), results)

    def _line_within(self, wrong: str) -> int | None:
        """The line of the rule or of the name of results in which a fault stands that begins with its path."""
        found = re.search(r"(?:\A|[ .])(?:rules)?\[(\d+)\]|\bresults\.(\w+)", wrong)
        if found is None:
            return None
        n = int(found[1]) if found[1] else -1
        return self.places.results.get(found[2]) if found[2] else self.lines[n] if n < len(self.lines) else None

    def results(self, data: object) -> Mapping[str, Earlier]:
        if not isinstance(data, OBJECTS):
            self.fault(f"results must be an object of names, got {describe(data)}", self._line_of_key("results"))
            return {}
        found = {}
        for name, item in data.items():
            at, self.line = f"results.{name}", self.places.results.get(name)
            if place_named(name) is None or place_named(name).steps:  # type: ignore[union-attr]
                self.fault(f"{at}: a name is a word of letters, digits and _, got {describe(name)}")
                continue
            given = item if isinstance(item, OBJECTS) else {"of": item}
            self.known(f"{at}.", given, ("of", "same", "other", "sent"))
            tools = self.tools(f"{at}.of", given.get("of", MISSING))
            sent = self.sent(f"{at}.sent", given.get("sent", {}))
            same, other = (self.same(f"{at}.{key}", given.get(key, ())) for key in ("same", "other"))
            found[name] = Earlier(tools, same, other, sent)
        self.line = None
        for name in found:
            if _circular(name, found):
                self.fault(f"results.{name}: it is looked up by itself", self.places.results.get(name))
                return {}
        return found

    def same(self, at: str, data: object) -> Mapping[str, str]:
        if isinstance(data, str):
            data = [data]
        if _is_list(data):
            data = {key: key for key in data if isinstance(key, str)} if all(isinstance(k, str) for k in data) else None  # type: ignore[attr-defined]
        if not isinstance(data, OBJECTS) or not all(isinstance(v, str) for v in data.values()):
            self.fault(f"{at} must be an argument, several, or an object of paths, like {{order_id: order_id}}")
            return {}
        for path in (*data, *data.values()):
            self.path(at, path)
        return dict(data)

    def sent(self, at: str, data: object) -> Mapping[str, Any]:
        if not isinstance(data, OBJECTS):
            self.fault(f"{at} must be an object of arguments, like {{cabin: business}}, got {describe(data)}")
            return {}
        for name, test in data.items():
            self.matchers(f"{at}.{name}", test)
        return dict(data)

    def tools(self, at: str, data: object) -> tuple[str, ...]:
        listed = [data] if isinstance(data, str) else data
        if not _is_list(listed) or not listed or not all(isinstance(t, str) and t.strip() for t in listed):  # type: ignore[attr-defined]
            self.fault(f"{at} must be the name of a tool, or a list of them, got {describe(data)}")
            return ()
        return tuple(listed)  # type: ignore[arg-type]

    def rule(self, at: str, item: object, place: Source) -> PolicyRule | None:
        if not isinstance(item, OBJECTS):
            self.fault(f"{at[:-1] or 'a rule'} must be an object with a tool, got {describe(item)}")
            return None
        before = len(self.faults)
        meant = self.known(at, item, _RULE_KEYS)
        if not any(key in item or key in meant for key in _DEMANDS):
            self.fault(f"{at[:-1] or 'the rule'} asks for nothing; give one of {', '.join(_DEMANDS)}")
        per = item.get("per")
        if per is not None and not isinstance(per, str):
            self.fault(f"{at}per must be the name of an argument, got {describe(per)}")
        elif per is not None and not any(key in item for key in _PER):
            self.fault(f"{at}per says nothing without {', '.join(_PER)}")
        tool = item.get("tool", MISSING)
        rule = PolicyRule(
            tools=() if isinstance(tool, OBJECTS) else self.tools(f"{at}tool", tool),
            effect=self.effect(f"{at}tool", tool) if isinstance(tool, OBJECTS) else None,
            when=self.condition(f"{at}when", item.get("when", {}), empty=True),
            requires=self.requires(f"{at}requires", item["requires"]) if "requires" in item else None,
            confirm=self.one_of(f"{at}confirm", item.get("confirm"), (True, False, "request", None)),
            at_most=self.limit(f"{at}at_most", item.get("at_most")),
            never_with=self.tools(f"{at}never_with", item["never_with"]) if "never_with" in item else (),
            per=per if isinstance(per, str) else None,
            bound=self.condition(f"{at}bound", item["bound"]) if "bound" in item else {},
            grade=self.one_of(f"{at}grade", item.get("grade"), (*_GRADES, None)),
            says=self.text(f"{at}says", item.get("says", "")),
            source=place,
        )
        self.itself(at, rule)
        return rule if len(self.faults) == before else None

    def itself(self, at: str, rule: PolicyRule) -> None:
        """Name a tool that waits for itself, or is kept apart from itself. Under `when` the two may be different calls."""
        for tool in rule.tools if not rule.when else ():
            if (tool,) in (rule.requires or ()):
                self.fault(
                    f"{at}requires: {tool} would have to come before itself, so its first call could never be right"
                )
            if tool in rule.never_with:
                self.fault(
                    f"{at}never_with: {tool} cannot be kept apart from itself; how often it may be called says at_most"
                )

    def one_of(self, at: str, found: object, allowed: tuple[Any, ...]) -> Any:
        # Membership would take 1 for true.
        if any(found is a or (isinstance(a, str) and found == a) for a in allowed):
            return found
        names = ", ".join(a if isinstance(a, str) else str(a).lower() for a in allowed if a is not None)
        self.fault(f"{at} must be one of {names}, got {describe(found)}")
        return None

    def limit(self, at: str, found: object) -> int | None:
        if found is not None and (not isinstance(found, int) or isinstance(found, bool) or found < 0):
            self.fault(f"{at} must be a whole number from 0, got {describe(found)}")
            return None
        return found

    def text(self, at: str, found: object) -> str:
        if not isinstance(found, str):
            self.fault(f"{at} must be a text, got {describe(found)}")
            return ""
        return " ".join(found.split())

    def effect(self, at: str, data: Mapping[str, Any]) -> Any:
        self.known(f"{at}.", data, ("effect",))
        return self.one_of(f"{at}.effect", data.get("effect", MISSING), ("destructive", "write"))

    def requires(self, at: str, data: object) -> tuple[tuple[str, ...], ...]:
        listed = data if _is_list(data) else [data]
        found = []
        for item in listed:  # type: ignore[attr-defined]
            if isinstance(item, OBJECTS) and list(item) == ["any"]:
                found.append(self.tools(f"{at}.any", item["any"]))
            elif isinstance(item, str) and item.strip():
                found.append((item,))
            else:
                self.fault(f"{at} must be a tool, a list of them, or {{any: [one, another]}}, got {describe(item)}")
        return tuple(found)

    def contradictions(self, rules: Sequence[PolicyRule]) -> None:
        said: dict[str, tuple[object, PolicyRule]] = {}
        for rule in rules:
            for tool in rule.tools if rule.confirm is not None and not rule.when else ():
                other = said.setdefault(tool, (rule.confirm, rule))
                if (other[0] is False) != (rule.confirm is False):
                    self.line = rule.source.line
                    self.fault(f"confirm for {tool} is said twice, and otherwise in {other[1].cited}")
        self.line = None

    # ---- conditions ----------------------------------------------------------------------------------------------

    def condition(self, at: str, data: object, *, empty: bool = False) -> Mapping[str, Any]:
        if not isinstance(data, OBJECTS) or not (data or empty):
            self.fault(f"{at} must be an object of paths and what they must be, got {describe(data)}")
            return {}
        for key, test in data.items():
            if key == "any":
                if not _is_list(test) or not test:
                    self.fault(f"{at}.any must be a list of conditions, got {describe(test)}")
                    continue
                for i, option in enumerate(test):
                    self.condition(f"{at}.any[{i}]", option)
                continue
            self.path(at, key)
            self.test(join_path(at, str(key)), test)
        return dict(data)

    def path(self, at: str, path: object) -> None:
        if not isinstance(path, str) or place_named(path) is None:
            self.fault(f"{at}: {describe(path)} is no path; a path is like items[*].id or orders[status=open].id")

    def test(self, at: str, test: object) -> None:
        if isinstance(test, OBJECTS) and matcher(test) is None:
            self.relations(at, test)
            return
        self.matchers(at, test)

    def relations(self, at: str, test: Mapping[str, Any]) -> None:
        if not test:
            self.fault(f"{at}: {{}} says nothing; for an object without keys write {{$literal: {{}}}}")
        self.known(f"{at}.", test, RELATIONS)
        if "count" in test and not {"at_least", "at_most", "same_as"} & {*test}:
            self.fault(f"{at}.count says nothing without at_least, at_most or same_as")
        self.limits(at, test)
        for name, operand in test.items():
            where = f"{at}.{name}"
            if name in ("in", "not_in"):
                if isinstance(operand, str):
                    self.path(where, operand)
                elif not _is_list(operand):
                    self.fault(f"{where} must be a list, or the path to values, got {describe(operand)}")
                else:
                    self.matchers(where, operand)
            elif name in ("after", "before"):
                if not isinstance(operand, str) or (moment_of(operand) is None and place_named(operand) is None):
                    self.fault(f"{where} must be a day, a moment or the path to one, got {describe(operand)}")
            elif name == "count":
                if operand is not True:
                    self.matchers(where, operand)
            elif name in ("same_as", "at_least", "at_most"):
                self.amount(where, operand)

    def limits(self, at: str, test: Mapping[str, Any]) -> None:
        """Name limits between which nothing lies."""
        least, most = test.get("at_least"), test.get("at_most")
        if _is_number(least) and _is_number(most) and least > most:
            self.fault(f"{at}: nothing is at least {describe(least)} and at most {describe(most)}")
        after, before = (moment_of(d) if isinstance(d, str) else None for d in (test.get("after"), test.get("before")))
        alike = after is not None and before is not None and (after.tzinfo is None) == (before.tzinfo is None)
        if after is not None and before is not None and alike and after >= before:
            self.fault(f"{at}: nothing is after {test['after']} and before {test['before']}")

    def amount(self, at: str, operand: object) -> None:
        """Check a number, the path to a value, or an object that makes a number of others."""
        if isinstance(operand, str):
            self.path(at, operand)
        elif isinstance(operand, OBJECTS):
            self.made(at, operand)
        elif not _is_number(operand):
            self.fault(f"{at} must be a number, a path, or one of {', '.join(AMOUNTS)}, got {describe(operand)}")

    def made(self, at: str, operand: Mapping[str, Any]) -> None:
        kind = next((k for k in operand if k in AMOUNTS), None)
        if kind is None or {*operand} - {kind} - ({"of"} if kind == "pick" else set()):
            self.fault(f"{at} must hold exactly one of {', '.join(AMOUNTS)}, got {describe(operand)}")
            return
        value, where = operand[kind], f"{at}.{kind}"
        if kind in ("count", "sum", "pick"):
            self.path(where, value)
        elif not _is_list(value) or not value or (kind == "minus" and len(value) != 2):
            wanted = "two numbers or paths" if kind == "minus" else "a list of numbers or paths"
            self.fault(f"{where} must be {wanted}, got {describe(value)}")
        else:
            for i, part in enumerate(value):
                self.amount(f"{where}[{i}]", part)
        if kind == "pick":
            table = operand.get("of")
            if not isinstance(table, OBJECTS) or not table:
                self.fault(f"{at}.of must be a table of values, like {{gold: 3, silver: 2}}, got {describe(table)}")
                return
            for key, part in table.items():
                self.amount(f"{at}.of.{key}", part)

    def matchers(self, at: str, wanted: object) -> None:
        from rootcall.casefile import operand_fault

        stack: list[object] = [wanted]
        while stack:
            value = stack.pop()
            found = matcher(value)
            if found is not None:
                problem = "$says is for what an answer says" if found[0] == "$says" else operand_fault(*found)
                if problem is not None:
                    self.fault(f"{at}: {problem}")
                elif found[0] not in ("$literal", "$regex", "$judge", "$from"):
                    stack.append(found[1])
            elif isinstance(value, Mapping):
                stack += value.values()
            elif _is_list(value):
                stack += value  # type: ignore[arg-type]


def _circular(name: str, results: Mapping[str, Earlier]) -> bool:
    """Whether looking up a name asks for that very name again."""
    seen, stack = set[str](), [name]
    while stack:
        earlier = results[stack.pop()]
        for path in (*earlier.same.values(), *earlier.other.values()):
            place = place_named(path)
            if place is None or place.root not in results:
                continue
            if place.root == name:
                return True
            if place.root not in seen:
                seen.add(place.root)
                stack.append(place.root)
    return False


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list(value: object) -> bool:
    return isinstance(value, LISTS) and not isinstance(value, (str, bytes))
