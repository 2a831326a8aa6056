"""The exit codes of the chat, part of its interface."""

OK = 0
"""The message was answered, or the person ended the chat."""

REFUSED = 1
"""The only message, or the agent itself, could not be served; the reason was printed."""

USAGE = 2
"""The command line was not understood."""

WAITING = 3
"""The chat ended while actions still wait for a decision; nothing was decided."""

INTERRUPTED = 130
"""Ctrl-C."""
