"""Asks a person for one decision per waiting action."""

from collections.abc import Sequence
from typing import Any

from langchain_core.tools import BaseTool

from src.interface.cli.arguments import check_arguments
from src.interface.cli.console import Console
from src.interface.cli.editor import Edit, EditError, parse_arguments
from src.interface.cli.transcript import Transcript
from src.interface.cli.visible import visible_json

_LABELS = {"approve": "[s]etuju", "edit": "[u]bah", "reject": "[t]olak"}
_WORDS = {
    "approve": frozenset({"s", "setuju", "a", "approve"}),
    "edit": frozenset({"u", "ubah", "e", "edit"}),
    "reject": frozenset({"t", "tolak", "r", "reject"}),
}

Decision = dict[str, Any]


class Reviewer:
    """Shows the actions in their order and collects the decisions; it sends nothing itself."""

    def __init__(
        self, console: Console, transcript: Transcript, edit: Edit, tools: Sequence[BaseTool]
    ) -> None:
        self._console = console
        self._transcript = transcript
        self._edit = edit
        self._tools = tools

    def decide(self, pending_review: dict[str, Any]) -> list[Decision]:
        """Return one decision per action, in the order shown.

        Raises:
            EOFError: nobody is left to decide; no decision counts then.
        """
        actions = pending_review["action_requests"]
        configs = pending_review["review_configs"]
        decisions: list[Decision] = []
        for number, (action, config) in enumerate(zip(actions, configs, strict=True), start=1):
            self._transcript.action(number, len(actions), action)
            decisions.append(self._decide(action, config["allowed_decisions"]))
        return decisions

    def _decide(self, action: dict[str, Any], allowed: list[str]) -> Decision:
        draft = visible_json(action["args"], indent=2)
        while True:
            kind = self._ask_kind(allowed)
            if kind == "approve":
                return {"type": "approve"}
            if kind == "reject":
                return self._reject()
            decision, draft = self._try_edit(action, draft)
            if decision is not None:
                return decision

    def _ask_kind(self, allowed: list[str]) -> str:
        labels = ", ".join(_LABELS.get(kind, kind) for kind in allowed)
        while True:
            word = self._console.ask(f"Keputusan: {labels}? ").strip().lower()
            for kind in allowed:
                if word in _WORDS.get(kind, {kind}):
                    return kind
            self._console.note(f"Pilihannya: {labels}.")

    def _reject(self) -> Decision:
        reason = self._console.ask("Alasan menolak (boleh kosong): ").strip()
        return {"type": "reject", "message": reason} if reason else {"type": "reject"}

    def _try_edit(self, action: dict[str, Any], draft: str) -> tuple[Decision | None, str]:
        """Return the decision, or what was typed so far when it is no decision yet."""
        try:
            draft = self._edit(draft)
            args = parse_arguments(draft)
            check_arguments(action["name"], args, self._tools)
        except EditError as error:
            self._console.note(str(error))
            return None, draft
        if args == action["args"]:
            self._console.note("Tidak ada yang berubah.")
            return None, draft
        self._console.say("Akan dijalankan dengan:")
        self._transcript.arguments(args)
        return {"type": "edit", "edited_action": {"name": action["name"], "args": args}}, draft
