#!/usr/bin/env python3
"""Walks a running server through its four stories: question, pause, approval, delegation.

    python scripts/try_it.py [ADDRESS]        (default: http://127.0.0.1:8000)

Needs Python alone. Exit codes: 0 all four happened, 1 one did not; the reason is printed.
"""

# ruff: noqa: T201

from __future__ import annotations

import io
import json
import sys
import urllib.error
import urllib.request
from typing import Any

DEFAULT_ADDRESS = "http://127.0.0.1:8000"
TIMEOUT_SECONDS = 120
EMAIL = "Kirim email ke alice@example.com: rapat jam 10"
TEAM_WORK = "Cek cuaca di Jakarta, lalu kirim email ke alice@example.com: bawa payung ya"


class StoryError(Exception):
    """A story did not go as it should; the text says where."""


class Server:
    """The service at an address."""

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")
        # A proxy of the user's is for other machines than this one.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def post(self, path: str, body: dict[str, Any], *, expected: int = 200) -> dict[str, Any]:
        """Send a body, print what went to and fro, and return the answer."""
        print(f"\n  POST {path} {_compact(body)}")
        status, answer = self._send(path, body)
        print(f"  {status} {_compact(answer)}")
        if status != expected:
            raise StoryError(f"{path} menjawab {status}, seharusnya {expected}.")
        return answer

    def _send(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        try:
            request = urllib.request.Request(  # noqa: S310 - the address comes from the person
                self._address + path,
                data=json.dumps(body).encode(),
                headers={"Content-Type": "application/json"},
            )
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, _body_of(refusal)
        except (OSError, ValueError) as error:
            raise StoryError(
                f"Server di {self._address} tidak menjawab: {error}\n"
                "Jalankan `python -m tasks dev` di terminal lain, atau sebutkan alamatnya."
            ) from error


def _body_of(refusal: urllib.error.HTTPError) -> dict[str, Any]:
    text = refusal.read().decode(errors="replace")
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    return body if isinstance(body, dict) else {"body": text}


def ask_a_question(server: Server) -> None:
    """1. Pertanyaan: agen memakai tool cuaca, lalu menjawab."""
    server.post("/chat", {"message": "Bagaimana cuaca di Jakarta?"})


def pause_for_a_person(server: Server) -> dict[str, Any]:
    """2. Jeda: email tidak dikirim sebelum ada yang menyetujui."""
    turn = server.post("/hitl/chat", {"message": EMAIL})
    if not turn["pending_review"]:
        raise StoryError("Agen tidak meminta persetujuan. Model ini tidak memanggil send_email.")
    return turn


def approve(server: Server, turn: dict[str, Any]) -> None:
    """3. Persetujuan: email dikirim satu kali, juga kalau tombolnya diklik dua kali."""
    review = _approval_of(turn)
    server.post("/hitl/review", review)
    server.post("/hitl/review", review, expected=400)


def delegate(server: Server) -> None:
    """4. Delegasi: supervisor membagi tugas; persetujuan dari subagen sampai ke sini."""
    turn = server.post("/subagents/chat", {"message": TEAM_WORK})
    while turn.get("pending_review"):
        turn = server.post("/subagents/review", _approval_of(turn))


def _approval_of(turn: dict[str, Any]) -> dict[str, Any]:
    actions = turn["pending_review"]["action_requests"]
    return {
        "thread_id": turn["thread_id"],
        "review_id": turn["review_id"],
        "decisions": [{"type": "approve"} for _ in actions],
    }


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def main(arguments: list[str]) -> int:
    """Tell the four stories and return the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    server = Server(arguments[0] if arguments else DEFAULT_ADDRESS)
    try:
        print(ask_a_question.__doc__)
        ask_a_question(server)
        print(f"\n{pause_for_a_person.__doc__}")
        turn = pause_for_a_person(server)
        print(f"\n{approve.__doc__}")
        approve(server, turn)
        print(f"\n{delegate.__doc__}")
        delegate(server)
    except StoryError as error:
        print(f"\nGagal: {error}", file=sys.stderr)
        return 1
    print("\nSelesai. Keempat cerita berjalan.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
