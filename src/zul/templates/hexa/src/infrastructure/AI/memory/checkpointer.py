from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from src.infrastructure.AI.memory.writes_in_place import write_in_place
from src.infrastructure.database.connections import get_database
from src.infrastructure.settings import Settings

ALLOWED_TYPES: tuple[tuple[str, str], ...] = ()
"""Own classes, as (module, name), that a checkpoint may bring back to life.

Messages, LangGraph's types, standard types and classes named in a graph's state schema are allowed
already. Anything else comes back as plain data, so that write access to the database never becomes
code that runs here.
"""


def get_checkpointer(scope: str = "chat") -> BaseCheckpointSaver[Any]:
    """Return a new checkpointer for one agent, where ``DATABASE_URL`` says.

    In memory every checkpointer is a store of its own, meant for development: it grows until the
    process ends.

    Args:
        scope: the agent's name. The same thread id under two scopes is two conversations.

    Raises:
        DatabaseConfigurationError: the database cannot be used as it is configured.
        StoreError: the database did not answer.
    """
    write_in_place()
    serde = JsonPlusSerializer(allowed_msgpack_modules=ALLOWED_TYPES)
    database = get_database()
    if database is None:
        return InMemorySaver(serde=serde)
    # Imported where there is a database: SQLAlchemy comes with it.
    from src.infrastructure.AI.memory.conversation_saver import ConversationSaver  # noqa: PLC0415

    return ConversationSaver(
        database.state_engine,
        scope,
        database.driver_errors,
        window=Settings().history_max_messages,
        serde=serde,
    )
