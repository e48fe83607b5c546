"""Tools from whatever a team has: spec files, specs, models, functions, places in code, and their validators."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import enum
import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, field_validator, model_validator
from typing_extensions import TypedDict

import rootcall
from rootcall.check import Check
from rootcall.config import Config
from rootcall.errors import InputError, RootcallError, UsageError
from rootcall.evidence.schema import compile_schema
from rootcall.layers.arguments import RULES
from rootcall.layers.arguments.validators import validators
from rootcall.tools import load_tools
from rootcall.trace import Rejection, Tool, Trace

BODY = {"type": "object", "properties": {"q": {"type": "string"}}}


class BookStay(BaseModel):
    """Book a hotel."""

    model_config = ConfigDict(extra="forbid")
    city: str
    check_in: dt.date
    check_out: dt.date
    guests: int = Field(ge=1, le=9)
    code: str | None = Field(None, alias="promoCode")

    @model_validator(mode="after")
    def _order(self) -> BookStay:
        if self.check_out <= self.check_in:
            raise ValueError("check_out must be after check_in")
        return self

    @field_validator("city")
    @classmethod
    def _city(cls, value: str) -> str:
        if value == "boom":
            raise KeyError("no such city")
        if value.islower():
            raise ValueError("city starts\nwith a capital")
        return value


STAY = {"city": "Seoul", "check_in": "2026-12-01", "check_out": "2026-12-04", "guests": 2}


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Address(TypedDict):
    street: str
    number: int


@dataclasses.dataclass
class Point:
    """A point."""

    x: int
    y: int = 0


def find(
    query: Annotated[str, "what to look for"],
    limit: Annotated[int, Field(ge=1)] = 10,
    colour: Colour = Colour.RED,
    *,
    kind: Literal["a", "b"] | None = None,
    near: Address | None = None,
    points: list[Point] | None = None,
) -> str:
    """Find things.

    Args:
        limit: how many,
            at most
        kind (str): which kind
    """
    raise RuntimeError("a tool is never called")


_OPAQUE = object()


def loose(x, json=_OPAQUE, **rest):  # type: ignore[no-untyped-def]
    """:param x: the thing"""


class Service:
    def act(self, day: dt.date) -> None:
        """Act on a day."""


# --- specs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": BODY}},
        {"type": "function", "name": "f", "description": "d", "parameters": BODY, "strict": True},
        {"name": "f", "description": "d", "input_schema": BODY},
        {"name": "f", "description": "d", "inputSchema": BODY},
        {"name": "f", "description": "d", "parameters": BODY},
        {"functionDeclarations": [{"name": "f", "description": "d", "parameters": BODY}]},
        {"function_declarations": [{"name": "f", "description": "d", "parameters_json_schema": BODY}]},
        {"toolSpec": {"name": "f", "description": "d", "inputSchema": {"json": BODY}}},
        {"f": {"description": "d", "inputSchema": BODY}},
        Tool("f", "d", BODY),
    ],
)
def test_one_tool_in_every_shape(spec: Any, tmp_path: Path) -> None:
    wanted = (Tool("f", "d", BODY),)
    assert load_tools(spec) == wanted
    if not isinstance(spec, Tool):
        for content in (spec, [spec], {"tools": [spec]}, {"jsonrpc": "2.0", "id": 1, "result": {"tools": [spec]}}):
            if "f" in spec and content is not spec:
                continue  # an object by name is the whole of a source
            (tmp_path / "tools.json").write_text(json.dumps(content))
            assert load_tools(tmp_path / "tools.json") == wanted
            assert load_tools(content) == wanted


def test_tools_that_a_provider_runs_itself_have_the_name_of_their_type() -> None:
    hosted = [{"type": "web_search"}, {"googleSearch": {}}, {"type": "custom", "custom": {"name": "c"}}]
    assert load_tools(hosted) == (Tool("web_search"), Tool("googleSearch"), Tool("c"))


def test_gemini_types_are_json_schema_in_capitals() -> None:
    declared = {"name": "f", "parameters": {"type": "OBJECT", "properties": {"n": {"type": "INTEGER"}}}}
    (tool,) = load_tools({"functionDeclarations": [declared]})
    assert [f.rule for f in compile_schema(tool.schema).faults({"n": "2"}) or ()] == ["number-as-string"]


def test_an_object_of_a_library_that_dumps_to_a_spec_is_one() -> None:
    class McpTool(BaseModel):
        name: str
        input_schema: dict[str, Any] = Field(alias="inputSchema")

    assert load_tools([McpTool(name="f", inputSchema=BODY)]) == (Tool("f", "", BODY),)


def test_a_framework_tool_is_judged_by_the_model_it_holds() -> None:
    class Held:
        name, description, args_schema = "stay", "Stay.", BookStay

    class Other:
        name, description, params_json_schema = "f", "d", BODY

    tool, other = load_tools([Held(), Other()])
    assert other == Tool("f", "d", BODY)
    assert (tool.name, tool.description) == ("stay", "Stay.")
    assert tool.validator({**STAY, "check_out": "2026-11-01"})


# --- models and functions ---------------------------------------------------------------------------------------------


def test_a_model_is_a_tool_with_its_name_words_and_schema() -> None:
    (tool,) = load_tools([BookStay])
    assert (tool.name, tool.description) == ("BookStay", "Book a hotel.")
    assert tool.schema == BookStay.model_json_schema()
    assert load_tools({"stay": TypeAdapter(BookStay)})[0].name == "stay"
    assert [t.name for t in load_tools((Point, BookStay))] == ["Point", "BookStay"]
    assert load_tools(BookStay)[0].schema == tool.schema


def test_a_function_is_read_and_never_called() -> None:
    (tool,) = load_tools([find])
    properties = tool.schema["properties"]
    assert (tool.name, tool.description) == ("find", "Find things.")
    assert tool.schema["required"] == ["query"]
    assert tool.schema["additionalProperties"] is False
    assert properties["query"]["description"] == "what to look for"
    assert (properties["limit"]["default"], properties["limit"]["minimum"]) == (10, 1)
    assert properties["limit"]["description"] == "how many, at most"
    assert properties["kind"]["description"] == "which kind"
    sent = {"query": "x", "colour": "green", "kind": "c", "near": {"street": "s"}, "points": [{"x": "1"}], "zz": 1}
    found = compile_schema(tool.schema).faults(sent) or ()
    assert {(f.rule, f.path) for f in found} == {
        ("enum-unknown", ("colour",)),
        ("enum-unknown", ("kind",)),
        ("missing-required", ("near", "number")),
        ("number-as-string", ("points", 0, "x")),
        ("unknown-argument", ("zz",)),
    }
    assert tool.validator({"query": "x"}) == ()


def test_what_a_function_leaves_open_stays_open() -> None:
    (tool,), (method,), (bound,), (part,), (named,) = map(
        load_tools, (loose, Service.act, Service().act, functools.partial(find, limit=3), {"go": lambda a=1: a})
    )
    assert tool.schema["additionalProperties"] is True
    assert "type" not in tool.schema["properties"]["x"]
    assert (tool.schema["required"], tool.schema["properties"]["x"]["description"]) == (["x"], "the thing")
    assert [*method.schema["properties"]] == [*bound.schema["properties"]] == ["day"]
    assert (method.name, method.description) == ("act", "Act on a day.")
    assert part.schema["properties"]["limit"]["default"] == 3
    assert named.name == "go"


def unresolved(x: Nowhere) -> None:  # type: ignore[name-defined]  # noqa: F821 -- the test's subject
    ...


class Plain:
    pass


def takes_plain(x: Plain) -> None: ...


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ([lambda a: a], "has no name of its own"),
        ([TypeAdapter(BookStay)], "has no name of its own"),
        ({"n": TypeAdapter(int)}, "of type integer; the arguments of a tool are an object"),
        ([unresolved], "'Nowhere' is not defined"),
        ([takes_plain], "takes_plain: its hints have no JSON Schema.*or give a spec"),
        ([int], "a Pydantic 2 model or a function is wanted"),
        ([Plain], "Plain"),
        ([BookStay.model_validate(STAY)], "an instance that is no tool spec"),
    ],
)
def test_what_no_tool_can_be_made_of_is_said_in_one_line(source: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        load_tools(source)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [5, None, [5], [object()], [{"description": "x"}], {"a": 1}])
def test_what_is_no_spec_is_an_input_error(source: Any) -> None:
    with pytest.raises(InputError):
        load_tools(source)


def test_without_pydantic_the_extra_is_named_and_specs_still_load() -> None:
    code = (
        "import sys; sys.modules['pydantic'] = None\n"
        "import rootcall\n"
        "assert rootcall.load_tools([{'name': 'f'}])[0].name == 'f'\n"
        "try: rootcall.load_tools([lambda: 0, print])\n"
        "except rootcall.RootcallError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "needs pydantic 2: pip install 'rootcall[pydantic]'" in done.stdout


def test_pydantic_is_loaded_only_where_it_is_used(bundled: Path) -> None:
    code = f"import sys, rootcall; rootcall.score(rootcall.read({str(bundled / 'flight.jsonl')!r}, tools={str(bundled / 'tau-airline-tools.json')!r})); print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# --- places in code ---------------------------------------------------------------------------------------------------


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with code in it, as the current one; nothing of it stays imported."""
    (tmp_path / "own_tools.py").write_text(
        "from pydantic import BaseModel\n"
        "class Search(BaseModel):\n    query: str\n"
        "class Box:\n    TOOLS = [Search]\n"
        "TOOLS, EMPTY, N, BAD = [Search], [], 5, [Search, 5]\n"
        "SPEC = {'name': 'f', 'parameters': {'type': 'object'}}\n"
    )
    (tmp_path / "broken_tools.py").write_text("x = 1\nx.nothing\n")
    (tmp_path / "leaving_tools.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "needy_tools.py").write_text("import not_there_at_all\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name in ("own_tools", "broken_tools", "leaving_tools", "needy_tools"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("place", "names"),
    [
        ("own_tools:TOOLS", ["Search"]),
        ("own_tools.py:TOOLS", ["Search"]),
        ("./own_tools.py:TOOLS", ["Search"]),
        ("own_tools:Box.TOOLS", ["Search"]),
        ("own_tools:Search", ["Search"]),
        ("own_tools:SPEC", ["f"]),
    ],
)
def test_a_place_in_code_is_imported(code: Path, place: str, names: list[str]) -> None:
    assert [t.name for t in load_tools(place)] == names
    sys.modules.pop("own_tools", None)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("own_tools:TOLS", r"own_tools has no 'TOLS'; did you mean 'TOOLS'\?"),
        ("own_tool:TOOLS", "there is no module 'own_tool'; run from the folder"),
        ("not_a_package.tools:TOOLS", "there is no module 'not_a_package'"),
        ("other.py:TOOLS", "there is no file other.py"),
        ("own_tools:EMPTY", "no tools there: empty"),
        ("own_tools:N", "no tools there: of type int; a list of specs, Pydantic models or functions is wanted"),
        ("own_tools:BAD", r"tools\[1\] is no tool spec but a value of type int"),
        ("broken_tools:TOOLS", r"importing it failed: AttributeError: .*\(broken_tools.py:2\)"),
        ("leaving_tools:TOOLS", "importing it failed: SystemExit: 3"),
        ("needy_tools:TOOLS", "importing it failed: ModuleNotFoundError: No module named 'not_there_at_all'"),
        ("own_tools:json:TOOLS", "cannot be read"),
        ("nothing.json", "cannot be read: No such file"),
    ],
)
def test_a_place_that_leads_nowhere_is_one_line(code: Path, place: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        load_tools(place)
    assert "\n" not in str(caught.value)
    sys.modules.pop("own_tools", None)


def test_a_file_goes_before_a_place(code: Path) -> None:
    (code / "own_tools:TOOLS").write_text('{"name": "from_a_file"}')
    assert [t.name for t in load_tools("own_tools:TOOLS")] == ["from_a_file"]


# --- the tool's own validators ----------------------------------------------------------------------------------------


def trace_of(arguments: Any, tools: Any, name: str = "BookStay") -> Trace:
    call = {"id": "c", "function": {"name": name, "arguments": json.dumps(arguments)}}
    said = "Seoul seoul, boom, 2026-12-01 to 2026-12-04, 2026-11-01"
    return Trace.from_openai([{"role": "user", "content": said}, {"role": "assistant", "tool_calls": [call]}], tools)


def found(arguments: Any, tools: Any, name: str = "BookStay") -> list[tuple[str, str | None]]:
    """The failing and unscored checks of the whole layer, by rule and argument."""
    checks = [c for rule in RULES for c in rule(trace_of(arguments, tools, name), None, Config())]
    return [(c.rule.partition("/")[2], c.argument) for c in checks if c.status == "unscored" or c.fails]


def of_validator(arguments: Any, tools: Any, name: str = "BookStay") -> list[Check]:
    return [*validators(trace_of(arguments, tools, name), None, Config())]


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({}, []),
        ({"check_out": "2026-12-01"}, [("validator", None)]),
        ({"city": "seoul"}, [("validator", "city")]),
        ({"guests": "2"}, [("number-as-string", "guests")]),
        ({"guests": 0}, [("range", "guests")]),
        ({"guests": None}, [("null-not-allowed", "guests")]),
        ({"extra": 1}, [("unknown-argument", "extra")]),
        ({"city": "seoul", "guests": 99}, [("range", "guests"), ("validator", "city")]),
    ],
)
def test_validators_say_what_the_schema_did_not(changed: dict[str, Any], wanted: list[tuple[str, str]]) -> None:
    arguments = {**STAY, **changed}
    before = json.dumps(arguments)
    assert found(arguments, [BookStay]) == wanted
    assert json.dumps(arguments) == before


def test_a_missing_argument_is_said_once() -> None:
    assert found({k: v for k, v in STAY.items() if k != "city"}, [BookStay]) == [("missing-required", "city")]


def test_the_message_of_the_validator_is_the_evidence() -> None:
    (check,) = of_validator({**STAY, "check_out": "2026-11-01"}, [BookStay])
    assert check.message == "the arguments: check_out must be after check_in (the validator of BookStay)"
    (check,) = of_validator({**STAY, "city": "seoul"}, [BookStay])
    assert (check.argument, check.got) == ("city", "seoul")
    assert check.message == "city: city starts with a capital (the validator of BookStay)"


def test_arguments_that_the_validator_takes_pass() -> None:
    checks = of_validator(STAY, [BookStay])
    assert {(c.rule, c.status) for c in checks} == {("arguments/validator", "pass")}
    assert {c.argument for c in checks} == set(STAY)


@pytest.mark.parametrize("raised", [KeyError("no such city"), RuntimeError("a\nb"), SystemExit(2), RecursionError()])
def test_an_exception_of_the_users_code_leaves_one_unscored_check(raised: BaseException) -> None:
    def validator(arguments: Any) -> Any:
        raise raised

    (check,) = of_validator({"q": "x"}, [Tool("t", "", BODY, validator=validator)], "t")
    assert (check.rule, check.status) == ("arguments/validator", "unscored")
    assert type(raised).__name__ in check.message
    assert "\n" not in check.message


def test_an_exception_in_a_pydantic_validator_names_its_type_and_message() -> None:
    (check,) = of_validator({**STAY, "city": "boom"}, [BookStay])
    assert check.message == "the validator of BookStay raised KeyError: 'no such city'"


def test_a_run_names_a_tool_whose_validator_raises_once() -> None:
    run = rootcall.score([trace_of({**STAY, "city": "boom"}, [BookStay])] * 3)
    (problem,) = run.problems
    assert (problem.code, run.problem_counts) == ("validator-failed", {"validator-failed": 1})
    assert "calls of 'BookStay'" in problem.message
    assert "KeyError: 'no such city'" in problem.message


def test_a_validator_of_ones_own_cannot_change_the_arguments() -> None:
    def validator(arguments: dict[str, Any]) -> list[Rejection]:
        arguments["list"].append(1)
        arguments.clear()
        return [Rejection("not today", ("list", 0)), Rejection("odd", rule="no-such-rule")]

    trace = trace_of({"list": ["x"]}, [Tool("t", "", {"type": "object"}, validator=validator)], "t")
    checks = [*validators(trace, None, Config())]
    assert [(c.rule, c.argument) for c in checks] == [("arguments/validator", "list[0]"), ("arguments/validator", None)]
    assert trace.calls[0].arguments == {"list": ["x"]}


class Cat(BaseModel):
    kind: Literal["cat"]
    name: Annotated[str, AfterValidator(lambda v: v if v != "bad" else _refuse("no bad cats"))]


class Dog(BaseModel):
    kind: Literal["dog"]
    bark: int


class Owner(BaseModel):
    pet: Cat | Dog
    small: dict[str, Annotated[int, AfterValidator(lambda v: v if v < 5 else _refuse("too big"))]] = {}
    many: list[Cat] = []


def _refuse(why: str) -> Any:
    raise ValueError(why)


def test_the_place_of_a_rejection_is_a_path_in_the_arguments() -> None:
    bad = {"kind": "cat", "name": "bad"}
    arguments = {"pet": bad, "small": {"a": 1, "b": 9}, "many": [{"kind": "cat", "name": "Tom"}, bad]}
    assert found(arguments, [Owner], "Owner") == [
        ("validator", "pet.name"),
        ("validator", "small.b"),
        ("validator", "many[1].name"),
    ]


class Hidden(BaseModel):
    """Each field's schema says nothing, so that only the validator speaks."""

    a: Annotated[Any, Field(default=1)]

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        return {"type": "object"}


@pytest.mark.parametrize(
    ("hint", "value", "rule"),
    [
        (int, "many", "wrong-type"),
        (Annotated[int, Field(strict=True)], "5", "number-as-string"),
        (Annotated[bool, Field(strict=True)], "true", "boolean-as-string"),
        (str, None, "null-not-allowed"),
        (list[int], {}, "wrong-type"),
        (Literal["a"], "b", "enum-unknown"),
        (Colour, "green", "enum-unknown"),
        (Annotated[int, Field(gt=3)], 3, "range"),
        (Annotated[int, Field(multiple_of=2)], 3, "range"),
        (Annotated[str, Field(pattern="^a")], "b", "pattern"),
        (Annotated[str, Field(max_length=1)], "bb", "length"),
        (Annotated[list[int], Field(min_length=1)], [], "items"),
        (dt.date, "next Friday", "format"),
        (dt.datetime, "noon", "format"),
        (Annotated[int, AfterValidator(lambda v: _refuse("no"))], 1, "validator"),
    ],
)
def test_each_kind_of_rejection_has_the_name_of_a_rule(hint: Any, value: Any, rule: str) -> None:
    from pydantic import create_model

    model = create_model("Open", __base__=Hidden, a=(hint, ...))
    (check,) = (c for c in of_validator({"a": value}, [model], "Open") if c.status == "fail")
    assert (check.rule, check.argument) == (f"arguments/{rule}", "a")
    (check,) = (c for c in of_validator({}, [model], "Open") if c.status == "fail")
    assert (check.rule, check.argument) == ("arguments/missing-required", "a")


def test_strict_models_get_the_arguments_as_json_has_them() -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)
        day: dt.date
        pair: tuple[int, int]

    assert found({"day": "2026-12-01", "pair": [1, 2]}, [Strict], "Strict") == []


def test_a_trace_that_declares_its_tools_gets_the_validators_by_name(tmp_path: Path) -> None:
    call = {"id": "c", "function": {"name": "BookStay", "arguments": json.dumps({**STAY, "city": "seoul"})}}
    messages = [{"role": "user", "content": "seoul"}, {"role": "assistant", "tool_calls": [call]}]
    declared = [{"type": "function", "function": {"name": "BookStay", "parameters": {"type": "object"}}}, {"name": "x"}]
    (tmp_path / "t.jsonl").write_text(json.dumps({"messages": messages, "tools": declared}) + "\n")
    (trace,) = rootcall.read(tmp_path / "t.jsonl", tools=[BookStay])
    assert (trace.tools_known, trace.tools[0].schema) == ("declared", {"type": "object"})
    assert rootcall.verdict(trace).root_cause.rule == "arguments/validator"  # type: ignore[union-attr]


def test_validators_are_left_out_of_a_run_folder(tmp_path: Path) -> None:
    trace = trace_of({**STAY, "city": "seoul"}, [BookStay])
    run = rootcall.score([trace], out=tmp_path / "run")
    assert "validator" not in (tmp_path / "run/traces/part-00000.jsonl").read_text()
    from rootcall.run import read_run

    ((kept, verdict),) = read_run(tmp_path / "run")
    assert kept.tools[0].schema == trace.tools[0].schema
    assert verdict.root_cause == run.verdicts[0].root_cause


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=5), x, max_size=3),
    max_leaves=8,
)
MODELS = load_tools([BookStay, Owner, find, loose, Point])


@settings(deadline=None)
@given(st.sampled_from(MODELS), st.data())
def test_any_arguments_get_checks_and_never_an_exception(tool: Tool, data: st.DataObject) -> None:
    names = st.sampled_from([*tool.schema["properties"]]) | st.text(max_size=3)
    arguments = data.draw(st.dictionaries(names, json_values, max_size=5))
    for check in of_validator(arguments, [tool], tool.name):
        assert check.message
        assert check.rule.startswith("arguments/")


@settings(deadline=None)
@given(json_values)
def test_any_source_in_memory_gives_tools_or_one_line(source: Any) -> None:
    if isinstance(source, str):
        return
    with contextlib.suppress(RootcallError):
        assert all(t.name for t in load_tools(source))
