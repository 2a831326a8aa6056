"""How much of what others give, and of their time, the agents take."""

from dataclasses import dataclass

MAX_MESSAGE_CHARS = 100_000
MAX_ARGUMENT_CHARS = 200_000
MAX_RESULT_CHARS = 50_000
MAX_NESTING = 32
MAX_TOOL_SECONDS = 60.0

CEILING_CHARS = 1_000_000
CEILING_NESTING = 100
"""No setting goes higher: MessagePack holds little more than 200 levels, and copies of arguments
lie deeper than the arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of what a model, a tool or a person sends becomes part of a conversation.

    They are the same for every store, and below what any of them can hold.

    Attributes:
        argument_chars: JSON text of all arguments of one tool call. A call with more does not
            run; the model is told so.
        result_chars: text of one tool result. The rest is cut off, with a note that says so.
        nesting: levels of objects and lists in the arguments of a call.
        history_messages: messages of the conversation that the model is sent at once; ``None``
            for all. What is stored stays whole.
        history_tokens: the same in tokens, counted approximately.
        tool_seconds: how long a tool may take; ``None`` for ever. A tool may have a limit of its
            own (``src/application/tool_time.py``).
    """

    argument_chars: int = MAX_ARGUMENT_CHARS
    result_chars: int = MAX_RESULT_CHARS
    nesting: int = MAX_NESTING
    history_messages: int | None = None
    history_tokens: int | None = None
    tool_seconds: float | None = MAX_TOOL_SECONDS


DEFAULT_LIMITS = Limits()

CEILING = Limits(argument_chars=CEILING_CHARS, result_chars=CEILING_CHARS, nesting=CEILING_NESTING)
"""What is refused whatever the settings say."""
