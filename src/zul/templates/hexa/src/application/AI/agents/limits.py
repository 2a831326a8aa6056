from dataclasses import dataclass

MAX_MESSAGE_CHARS = 100_000
MAX_ARGUMENT_CHARS = 200_000
MAX_RESULT_CHARS = 50_000
MAX_NESTING = 32

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
    """

    argument_chars: int = MAX_ARGUMENT_CHARS
    result_chars: int = MAX_RESULT_CHARS
    nesting: int = MAX_NESTING
    history_messages: int | None = None
    history_tokens: int | None = None


DEFAULT_LIMITS = Limits()

CEILING = Limits(argument_chars=CEILING_CHARS, result_chars=CEILING_CHARS, nesting=CEILING_NESTING)
"""What is refused whatever the settings say."""
