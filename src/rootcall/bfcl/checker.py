"""BFCL's own verdict on the calls of one response, reproduced with all its quirks.

Owns the semantics of the official checker of single-turn categories (Berkeley Function-Calling Leaderboard, bfcl-eval
2026.3.23): what it accepts, and under which error type it refuses. It is a floor to stand beside our verdict, not our
opinion; equality here is the host's (`True == 1`), types are compared exactly, and the first error ends it. Where the
official checker stops with an exception, the result is invalid with the error type `checker_stopped`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import msgspec

from rootcall.bfcl.official_literals import (
    JAVA_TYPES,
    JAVASCRIPT_TYPES,
    NESTED,
    Unsupported,
    java_value,
    javascript_value,
)
from rootcall.jsonvalue import MISSING
from rootcall.matching import describe

__all__ = ["STOPPED", "Result", "check"]

STOPPED: Final = "checker_stopped"
"""The error type where the official checker raises instead of answering."""

_PYTHON_TYPES: Final[Mapping[str, type]] = {
    "string": str, "integer": int, "float": float, "boolean": bool, "array": list, "tuple": list, "dict": dict, "any": str,
}  # fmt: skip
_IGNORED: Final = re.compile(r"[ ,./\-_*^]")


class Result(msgspec.Struct, frozen=True):
    """A verdict on one response: valid, else what kind of error it is and what was wrong, in our words."""

    valid: bool
    error_type: str | None = None
    message: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON object `{"valid", "error_type", "error"}`."""
        return {"valid": self.valid, "error_type": self.error_type, "error": self.message}


class _Wrong(Exception):  # noqa: N818 -- the first error ends the check
    def __init__(self, error_type: str, message: str) -> None:
        super().__init__(message)
        self.error_type = error_type


class _Stops(Exception):  # noqa: N818 -- as above
    """The official checker raises here."""


def check(
    functions: object,
    possible_answer: object,
    output: object,
    category: str,
    *,
    dots_as_underscores: bool = False,
) -> Result:
    """Check decoded calls against BFCL's gold.

    Args:
        functions: the specs offered, in BFCL's shape (`parameters` of type `dict`).
        possible_answer: one `{name: {param: [accepted values]}}` for each call; not looked at for (ir)relevance.
        output: `[{name: {param: value}}]`; `MISSING` where the response could not be decoded.
        category: tells the rules by what it contains: `irrelevance`, `relevance`, else `parallel`, else `multiple`,
            else one call; `javascript` and `java` tell the language.
        dots_as_underscores: the model was offered `a.b` as `a_b`.

    Returns:
        The verdict; never raises on JSON values.
    """
    try:
        if "relevance" in category:
            return _relevance(output, category)
        if output is MISSING:
            return Result(False, "ast_decoder:decoder_failed", "the response could not be decoded into calls")
        if not _call_shaped(output):
            return Result(False, "ast_decoder:decoder_wrong_output_format", f"{describe(output)} is no list of calls")
        _Checker(category, dots_as_underscores).all_calls(functions, possible_answer, output)
    except _Wrong as error:
        return Result(False, error.error_type, str(error))
    except _Stops as error:
        return Result(False, STOPPED, f"the official checker stops: {error}")
    except RecursionError:
        return Result(False, STOPPED, "the official checker stops: nested too deeply")
    return Result(True)


def _call_shaped(output: object) -> bool:
    return type(output) is list and all(
        type(item) is dict and len(item) == 1 and type(next(iter(item.values()))) is dict for item in output
    )


def _relevance(output: object, category: str) -> Result:
    called = _call_shaped(output) and bool(output)
    if "irrelevance" in category and called:
        return Result(False, "irrelevance_error:decoder_success", "no call was right, calls were made")
    if "irrelevance" not in category and not called:
        return Result(False, "relevance_error:decoder_failed", "a call was wanted, none could be decoded")
    return Result(True)


# Gold and specs are taken as they come; what the official checker would stumble over stops the check.


def _list(value: object, what: str) -> list[Any]:
    if isinstance(value, str):
        return list(value)  # a text where options are wanted is walked character by character
    if isinstance(value, Mapping) and not value:
        return []
    if not isinstance(value, list | tuple):
        raise _Stops(f"{what} is {describe(value)}, a list is wanted")
    return list(value)


def _object(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _Stops(f"{what} is {describe(value)}, an object is wanted")
    return value


def _member(value: object, key: str, what: str) -> Any:
    found = _object(value, what)
    if key not in found:
        raise _Stops(f"{what} has no {key}")
    return found[key]


def _only(value: object) -> tuple[str, Mapping[str, Any]]:
    """The name and the options of one gold call."""
    name, options = next(iter(_object(value, "the gold").items()), (None, None))
    if name is None:
        raise _Stops("the gold names no call")
    return name, _object(options, f"the gold of {name}")


def _described(functions: object, name: str) -> Mapping[str, Any]:
    if isinstance(functions, Mapping):
        return functions
    listed = _list(functions, "the function list")
    found = next((f for f in listed if _member(f, "name", "a function") == name), None)
    if found is None:
        raise _Stops(f"no function is called {name}")
    return _object(found, "a function")


def _standard(value: Any) -> Any:
    """A text without case, spaces, `, . / - _ * ^` and with one kind of quotes; other values as they are."""
    return _IGNORED.sub("", value).lower().replace("'", '"') if type(value) is str else value


def _wrong(error_type: str, message: str) -> NoReturn:
    raise _Wrong(error_type, message)


class _Checker:
    """The rules of one category."""

    def __init__(self, category: str, dots_as_underscores: bool) -> None:
        self.category = category
        self.dots_as_underscores = dots_as_underscores
        self.language = "javascript" if "javascript" in category else "java" if "java" in category else "python"
        self.types = {"javascript": JAVASCRIPT_TYPES, "java": JAVA_TYPES, "python": _PYTHON_TYPES}[self.language]
        self.nested = ("array", "tuple") if self.language == "python" else NESTED

    def all_calls(self, functions: object, possible_answer: object, output: Any) -> None:
        if "parallel" in self.category:
            self._parallel(functions, _list(possible_answer, "the gold"), output)
            return
        rule = "multiple" if "multiple" in self.category else "simple"
        answers = _list(possible_answer, "the gold") if rule == "multiple" else [None]
        if len(output) != len(answers):
            message = f"{len(output)} calls where {len(answers)} is wanted"
            _wrong(f"{rule}_function_checker:wrong_count", message)
        answers = _list(possible_answer, "the gold")
        if not answers or not output:
            raise _Stops("there is no gold")
        if rule == "multiple":
            described = _described(functions, _only(answers[0])[0])
        else:
            listed = _list(functions, "the function list")
            described = _object(listed[0], "a function") if listed else {}
        self._call(described, output[0], answers[0])

    def _parallel(self, functions: object, answers: list[Any], output: list[Any]) -> None:
        """First fit: each gold call in its order takes the first call left that meets it, for better or worse."""
        if len(output) != len(answers):
            message = f"{len(output)} calls where {len(answers)} are wanted"
            _wrong("parallel_function_checker_no_order:wrong_count", message)
        left = list(output)
        for i, answer in enumerate(answers):
            name, _ = _only(answer)
            described = _described(functions, name)
            fits = next((n for n, call in enumerate(left) if self._fits(described, call, answer)), None)
            if fits is None:
                message = f"none of the {len(left)} calls left meets call {i} of the gold, {name}"
                _wrong("parallel_function_checker_no_order:cannot_find_match", message)
            del left[fits]

    def _fits(self, described: Mapping[str, Any], call: Mapping[str, Any], answer: object) -> bool:
        try:
            self._call(described, call, answer)
        except _Wrong:
            return False
        return True

    def _call(self, described: Mapping[str, Any], call: Mapping[str, Any], answer: object) -> None:
        _, gold = _only(answer)
        name = _member(described, "name", "the function")
        parameters = _member(described, "parameters", "the function")
        properties = _object(_member(parameters, "properties", f"{name}"), f"{name}.properties")
        required = _list(_member(parameters, "required", f"{name}"), f"{name}.required")
        if self.dots_as_underscores:
            name = str(name).replace(".", "_")
        if name not in call:
            _wrong("simple_function_checker:wrong_func_name", f"{', '.join(call)} where {name} is wanted")
        sent = call[name]
        for parameter in required:
            if parameter not in sent:
                _wrong("simple_function_checker:missing_required", f"{parameter} is required and was not sent")
        for parameter, value in sent.items():
            if parameter not in properties or parameter not in gold:
                _wrong("simple_function_checker:unexpected_param", f"{parameter} is not among the expected arguments")
            self._argument(
                parameter, value, _object(properties[parameter], parameter), _list(gold[parameter], parameter)
            )
        for parameter, options in gold.items():
            if parameter not in sent and "" not in _list(options, parameter):
                message = f"{parameter} was not sent and may not be left out"
                _wrong("simple_function_checker:missing_optional", message)

    def _argument(self, name: str, value: Any, schema: Mapping[str, Any], options: list[Any]) -> None:
        kind = _member(schema, "type", name)
        expected = self._type(kind, name)
        value, inner = self._converted(name, value, kind, schema)
        if kind == "tuple" and type(value) is tuple:
            value = list(value)
        if self.language == "python" and kind == "float" and type(value) is int:
            try:
                value = float(value)
            except OverflowError:
                raise _Stops(f"{name}: an integer too large for a float") from None
        variable = _type_check(name, value, options, expected, inner)
        if variable or expected not in (dict, list, str):
            if value not in options:
                _wrong("value_error:others", f"{name}: {describe(value)} is none of {describe(options)}")
        elif expected is dict:
            _check_object(name, value, options)
        elif expected is list and inner is dict:
            _check_objects(name, value, options)
        elif expected is str:
            accepted = [_standard(o) for o in options if type(o) is str]
            if _standard(value) not in accepted:
                _wrong("value_error:string", f"{name}: {describe(value)} is none of {describe(options)}")
        else:
            _check_list(name, value, options)

    def _type(self, kind: object, name: str) -> type:
        if not isinstance(kind, str) or kind not in self.types:
            raise _Stops(f"{name} has the type {describe(kind)}, which it does not know")
        return self.types[kind]

    def _converted(self, name: str, value: Any, kind: str, schema: Mapping[str, Any]) -> tuple[Any, type | None]:
        """The value as it is compared, and the type of a list's members, None where they are not checked."""
        if self.language != "python" and type(value) is not str:
            _wrong(
                "type_error:java" if self.language == "java" else "type_error:js",
                f"{name}: {describe(value)}, in this language every value arrives as a text",
            )
        nested: Any = None
        if kind in self.nested:
            nested = _member(_member(schema, "items", name), "type", f"{name}.items")
        inner = None if nested is None else self._type(nested, f"{name}.items")
        if self.language == "python":
            return value, inner
        convert = java_value if self.language == "java" else javascript_value
        try:
            return convert(value, kind, nested), inner
        except (Unsupported, ValueError) as error:
            raise _Stops(f"{name}: {error}") from None


def _type_check(name: str, value: Any, options: list[Any], expected: type, inner: type | None) -> bool:
    """Check the type of a value; tell whether it is compared as a variable, by the host's equality alone.

    It is one where the gold's first option is of another type than the schema declares.
    """
    gold_type = next((type(o) for o in options if o != ""), None)
    fits = type(value) is expected
    if fits and (inner is None or any(_members_fit(value, option, inner) for option in options)):
        return gold_type is not None and gold_type is not expected
    if fits and gold_type is type(value):
        _wrong("type_error:nested", f"{name}: the members of {describe(value)} are of another type")
    if gold_type is None or gold_type is not type(value):
        _wrong("type_error:simple", f"{name}: {describe(value)} is of another type than wanted")
    return True


def _members_fit(value: list[Any], option: Any, inner: type) -> bool:
    """Members are of the declared type, or of the type of the option's first member; an option that is no list fits."""
    if type(option) is not list:
        return True
    first = next((type(o) for o in option if o != ""), None)
    return all(type(v) is inner or (first is not None and type(v) is first) for v in value)


def _check_list(name: str, value: list[Any], options: list[Any]) -> None:
    accepted = [[_standard(x) for x in _list(option, name)] for option in options]
    if [_standard(x) for x in value] not in accepted:
        _wrong("value_error:list/tuple", f"{name}: {describe(value)} is none of {describe(options)}")


def _check_object(name: str, value: Any, options: list[Any]) -> None:
    """One level deep; the fault of the last option counts, and of one option the last fault."""
    fault = ("dict_checker:unclear", f"{name}: no object is accepted")
    for option in options:
        if option == "":
            continue
        found = _object_fault(name, _object(value, name), _object(option, name))
        if found is None:
            return
        fault = found
    _wrong(*fault)


def _object_fault(name: str, value: Mapping[str, Any], gold: Mapping[str, Any]) -> tuple[str, str] | None:
    fault: tuple[str, str] | None = None
    for key, sent in value.items():
        if key not in gold:
            fault = ("value_error:dict_key", f"{name}.{key} is not expected")
            break
        if _standard(sent) not in [_standard(o) for o in _list(gold[key], f"{name}.{key}")]:
            message = f"{name}.{key}: {describe(sent)} is none of {describe(gold[key])}"
            fault = ("value_error:dict_value", message)
            break
    for key, accepted in gold.items():
        if key not in value and not _omissible(accepted, f"{name}.{key}"):
            return "value_error:dict_key", f"{name}.{key} was not sent"
    return fault


def _omissible(accepted: object, what: str) -> bool:
    if isinstance(accepted, str):
        return True  # the empty text is a part of every text
    return "" in (accepted if isinstance(accepted, Mapping) else _list(accepted, what))


def _check_objects(name: str, value: list[Any], options: list[Any]) -> None:
    fault = _Wrong("list_dict_checker:unclear", f"{name}: no list of objects is accepted")
    for option in options:
        n = len(option if isinstance(option, Mapping) else _list(option, name))
        if len(value) != n:
            fault = _Wrong("value_error:list_dict_count", f"{name}: {len(value)} objects where {n} are wanted")
            continue
        try:
            for i, (sent, gold) in enumerate(zip(value, _list(option, name), strict=True)):
                _check_object(f"{name}[{i}]", sent, [gold])
        except _Wrong as error:
            fault = error
        else:
            return
    raise fault
