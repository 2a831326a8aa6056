import shlex
from collections.abc import Mapping, Sequence

from src.infrastructure.database.stores import close_stores
from src.infrastructure.logs import configure_logging
from src.infrastructure.settings import Settings
from src.interface.cli import exit_codes
from src.interface.cli.agents import AGENTS, DEFAULT_AGENT, AgentChoice
from src.interface.cli.chat import Chat
from src.interface.cli.console import Console
from src.interface.cli.editor import Edit, make_edit
from src.interface.cli.failures import keep_log_quiet, reason_of
from src.interface.cli.options import PROGRAM, Options, parse_options
from src.interface.cli.reviewer import Reviewer
from src.interface.cli.transcript import Transcript
from src.interface.http.fields import new_thread_id


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chat as a program and return its exit code."""
    options = parse_options(arguments, AGENTS, DEFAULT_AGENT)
    console = Console()
    try:
        if options.debug:
            configure_logging(Settings().log_level)
        else:
            keep_log_quiet()
        return run(options, console)
    except KeyboardInterrupt:
        console.note("\nDihentikan.")
        return exit_codes.INTERRUPTED
    finally:
        close_stores()


def run(
    options: Options,
    console: Console,
    agents: Mapping[str, AgentChoice] = AGENTS,
    edit: Edit | None = None,
) -> int:
    """Hold one conversation and return the exit code."""
    thread_id = options.thread_id or new_thread_id()
    try:
        chat = _make_chat(agents[options.agent], thread_id, console, edit or make_edit(console))
        console.note(_heading(chat, options.agent, thread_id))
        way_back = _way_back(options.agent, thread_id)
        if options.message is not None:
            return _send_once(chat, options.message, console, way_back)
        return _hold(chat, console, way_back)
    except Exception as error:  # noqa: BLE001 - the last place that can say why
        console.note(f"Gagal: {reason_of(error)}")
        return exit_codes.REFUSED


def _make_chat(choice: AgentChoice, thread_id: str, console: Console, edit: Edit) -> Chat:
    return Chat(
        choice.build_agent(),
        choice.get_stores(),
        thread_id,
        console,
        Reviewer(console, Transcript(console), edit, choice.list_tools()),
    )


def _heading(chat: Chat, agent: str, thread_id: str) -> str:
    stored = chat.look()
    if stored is not None and stored.exists:
        return f"Melanjutkan percakapan {thread_id} dengan agen {agent}."
    if Settings().database_url is None:
        return f"Percakapan {thread_id} dengan agen {agent}, hanya di memori program ini."
    return f"Percakapan baru {thread_id} dengan agen {agent}."


def _way_back(agent: str, thread_id: str) -> str:
    if Settings().database_url is None:
        return "Percakapan ini hanya di memori, dan hilang bersama program ini."
    return f"Lanjutkan: {PROGRAM} --agent {agent} --thread {shlex.quote(thread_id)}"


def _send_once(chat: Chat, message: str, console: Console, way_back: str) -> int:
    turn = chat.send(message)
    if turn is None:
        return exit_codes.REFUSED
    if turn.pending_review is None:
        return exit_codes.OK
    chat.show(turn.pending_review)
    console.note(f"Menunggu keputusan (review_id {turn.review_id}). {way_back}")
    return exit_codes.WAITING


def _hold(chat: Chat, console: Console, way_back: str) -> int:
    console.note("Ketik pesan; /keluar atau Ctrl-D untuk selesai.\n")
    try:
        chat.open()
        chat.talk()
    except EOFError:
        console.note("")
    if chat.waiting() is None:
        return exit_codes.OK
    console.note(f"Masih ada aksi yang menunggu; tidak ada keputusan yang dikirim. {way_back}")
    return exit_codes.WAITING
