"""Where each convention keeps what rootcall wants to know: attribute names as data.

One file may carry several conventions, often in one span, so the names stand in one table a field, the most telling
first. A convention is added by adding its names here. What a value looks like inside is `rootcall.readers.spans.said`'s.

    gen_ai          OpenTelemetry GenAI: span attributes of 1.27 and before (`gen_ai.prompt.N`), messages as events
                    (1.28 to 1.36), messages as JSON text (since 1.37), and semantic-conventions-genai 0.1.0
    openinference   Phoenix and Arize
    traceloop       OpenLLMetry
    pydantic-ai     what Logfire shows, versions 1 to 6 of the format
    strands         Bedrock-shaped content inside GenAI events
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from rootcall.readers.spans.span import Attributes, Span

__all__ = [
    "AGENT", "ANSWER", "CALL_ID", "CONVERSATION", "EVENT_BODY", "FINISH", "HISTORY", "INPUT", "INPUT_EVENTS", "MARKS", "MODEL", "OUTPUT", "OWN",
    "REDACTED", "RESPONSE", "SAID_EVENTS", "SYSTEM", "TASK", "TOOLS", "TOOL_ARGUMENTS", "TOOL_NAME", "TOOL_RESULT", "WRAPPED", "Kind",
    "conventions_of", "kind_of", "setting_for",
]  # fmt: skip

Kind = Literal["model", "tool", "agent", "other"]

# What a span is, by the value of an attribute. The first attribute that is there decides.
_KINDS: Final[Mapping[str, Mapping[str, Kind]]] = {
    "openinference.span.kind": {"LLM": "model", "TOOL": "tool", "AGENT": "agent"},
    "gen_ai.operation.name": {
        "chat": "model", "text_completion": "model", "generate_content": "model", "completion": "model",
        "execute_tool": "tool", "invoke_agent": "agent", "invoke_workflow": "agent", "create_agent": "other",
    },
    "traceloop.span.kind": {"tool": "tool", "agent": "agent", "workflow": "other", "task": "other"},
    "llm.request.type": {"chat": "model", "completion": "model"},
}  # fmt: skip
# Without one of these, a span is what its attributes are about.
_TELLING: Final[tuple[tuple[str, Kind], ...]] = (
    ("gen_ai.tool.call.id", "tool"),
    ("tool_arguments", "tool"),
    ("gen_ai.tool.name", "tool"),
    ("pydantic_ai.all_messages", "agent"),
    ("all_messages_events", "agent"),
    ("gen_ai.input.messages", "model"),
    ("gen_ai.output.messages", "model"),
    ("model_request_parameters", "model"),
    ("gen_ai.response.finish_reasons", "model"),
    ("gen_ai.prompt", "model"),
    ("gen_ai.completion", "model"),
)

# Messages: what a model was given, and what it answered. Each is a list of messages, as such, as JSON text or indexed.
INPUT: Final = ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt", "llm.prompts")
OUTPUT: Final = ("gen_ai.output.messages", "llm.output_messages", "gen_ai.completion", "llm.completions")
SYSTEM: Final = ("gen_ai.system_instructions", "gen_ai.system.instructions")
# The whole conversation, on the span of an agent.
HISTORY: Final = ("pydantic_ai.all_messages", "all_messages_events", "gen_ai.input.messages")
# What an agent was asked, and answered, where no model span tells.
TASK: Final = ("input.value", "traceloop.entity.input", "gen_ai.task", "gen_ai.prompt")
ANSWER: Final = ("output.value", "final_result", "traceloop.entity.output")
TOOLS: Final = ("gen_ai.tool.definitions", "llm.tools", "model_request_parameters", "llm.request.functions",
                "gen_ai.request.tools", "gen_ai.agent.tools")  # fmt: skip

TOOL_NAME: Final = ("gen_ai.tool.name", "tool.name", "tool_call.function.name", "traceloop.entity.name",
                    "mcp.tool.name")  # fmt: skip
TOOL_ARGUMENTS: Final = ("gen_ai.tool.call.arguments", "tool_arguments", "tool_call.function.arguments", "input.value",
                         "traceloop.entity.input", "gen_ai.tool.arguments", "gcp.vertex.agent.tool_call_args")  # fmt: skip
TOOL_RESULT: Final = ("gen_ai.tool.call.result", "tool_response", "output.value", "traceloop.entity.output",
                      "gen_ai.tool.result", "gcp.vertex.agent.tool_response")  # fmt: skip
# Those in which a framework may wrap the arguments of the function it called.
WRAPPED: Final = ("input.value", "traceloop.entity.input")
CALL_ID: Final = ("gen_ai.tool.call.id", "tool_call.id", "tool.id")

AGENT: Final = ("gen_ai.agent.name", "agent.name", "agent_name", "gen_ai.workflow.name", "graph.node.id")
MODEL: Final = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "model_name", "llm.request.model")
RESPONSE: Final = ("gen_ai.response.id", "llm.response.id")
CONVERSATION: Final = ("gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id")
# Attributes whose rest is metadata: rootcall.case_id, rootcall.trial, rootcall.reference_time, rootcall.reward.
OWN: Final = "rootcall."
FINISH: Final = ("gen_ai.response.finish_reasons", "llm.finish_reason", "gen_ai.completion.0.finish_reason")

# Events that say a message, by name, with the role they imply; a choice is what the model answered.
SAID_EVENTS: Final[Mapping[str, str]] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "choice",
    "gen_ai.content.prompt": "user",
    "gen_ai.content.completion": "choice",
}
EVENT_BODY: Final = "gen_ai.event.content"
# Events that carry the attributes above.
INPUT_EVENTS: Final = ("gen_ai.client.inference.operation.details",)

REDACTED: Final = frozenset({"__REDACTED__", "[REDACTED]", "<redacted>"})


class Convention(NamedTuple):
    """A convention by the beginnings of its attribute names, and what makes it capture content."""

    name: str
    prefixes: tuple[str, ...]
    setting: str


# The most particular first: what an emitter of its own needs set comes before the convention it follows.
MARKS: Final = (
    Convention("pydantic-ai", ("pydantic_ai.", "logfire.", "model_request_parameters"),
               "InstrumentationSettings(include_content=True)"),
    Convention("openinference", ("openinference.", "llm.input_messages", "llm.output_messages"),
               "OPENINFERENCE_HIDE_INPUTS=false and OPENINFERENCE_HIDE_OUTPUTS=false"),
    Convention("openllmetry", ("traceloop.", "gen_ai.prompt.", "gen_ai.completion.", "llm.request.", "gen_ai.openai."),
               "TRACELOOP_TRACE_CONTENT=true"),
    Convention("gen-ai", ("gen_ai.",), "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY and "
               "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental (older conventions put messages into log events: "
               "then join the files of spans and logs, `cat a b > both`)"),
)  # fmt: skip
_STRANDS: Final = Convention(
    "strands",
    (),
    "gen_ai_unredacted_attributes=gen_ai.* in OTEL_SEMCONV_STABILITY_OPT_IN, or leave that token out",
)


def conventions_of(span: Span) -> tuple[Convention, ...]:
    """Return the conventions a span carries, the most particular first."""
    if span.attributes.text("gen_ai.system", "gen_ai.provider.name") == "strands-agents":
        return (_STRANDS,)
    found = tuple(c for c in MARKS if span.attributes.begin(c.prefixes))
    if not found and any(e.name.startswith("gen_ai.") for e in span.events):
        return (MARKS[-1],)
    return found


def setting_for(span: Span) -> str:
    """Return what has to be set so that the content of a span like this is captured."""
    found = conventions_of(span)
    return found[0].setting if found else MARKS[-1].setting


def kind_of(span: Span) -> Kind:
    """Tell what a span is. Where it carries several conventions, the first that says so decides."""
    attributes = span.attributes
    said: list[Kind] = []
    for name, kinds in _KINDS.items():
        value = attributes.get(name)
        if isinstance(value, str):
            kind = kinds.get(value) or kinds.get(value.upper()) or "other"
            if kind != "other":
                return kind
            said.append(kind)
    if said:
        return "other"
    if not span.known:
        return "model"  # only log records tell of it, and they are about a model
    return _by_content(attributes)


def _by_content(attributes: Attributes) -> Kind:
    for name, kind in _TELLING:
        if attributes.get(name) is not None:
            return kind
    if attributes.under("gen_ai.prompt") is not None or attributes.under("gen_ai.completion") is not None:
        return "model"
    return "other"
