"""The SQL of the conversation saver, for SQLite and PostgreSQL alike; ``?`` is a parameter."""

PLACE = "scope = ? AND thread_id = ? AND ns = ?"
READ_STATE = (
    "SELECT checkpoint_id, parent_id, root_id, state, metadata, message_count"
    f" FROM agent_states WHERE {PLACE}"
)
READ_WRITES = (
    f"SELECT task_id, channel, value FROM agent_writes WHERE {PLACE} AND checkpoint_id = ?"
    " ORDER BY task_id, idx"
)
READ_MESSAGES = (
    f"SELECT data FROM agent_messages WHERE {PLACE} AND position >= ? AND position < ?"
    " ORDER BY position"
)
FIRST_USER_MESSAGE = (
    f"SELECT min(position) FROM agent_messages WHERE {PLACE}"
    " AND from_user AND position >= ? AND position < ?"
)
LAST_USER_MESSAGE = (
    f"SELECT max(position) FROM agent_messages WHERE {PLACE} AND from_user AND position < ?"
)
ADVANCE = (
    "UPDATE agent_states SET checkpoint_id = ?, parent_id = ?, root_id = ?, state = ?,"
    f" metadata = ?, message_count = ?, used_at = ? WHERE {PLACE} AND checkpoint_id = ?"
)
OVERWRITE = (
    "INSERT INTO agent_states (checkpoint_id, parent_id, root_id, state, metadata, message_count,"
    " used_at, scope, thread_id, ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (scope, thread_id, ns) DO UPDATE SET checkpoint_id = excluded.checkpoint_id,"
    " parent_id = excluded.parent_id, root_id = excluded.root_id, state = excluded.state,"
    " metadata = excluded.metadata, message_count = excluded.message_count,"
    " used_at = excluded.used_at"
)
SAVE_MESSAGE = (
    "INSERT INTO agent_messages (scope, thread_id, ns, position, from_user, data)"
    " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scope, thread_id, ns, position)"
    " DO UPDATE SET from_user = excluded.from_user, data = excluded.data"
)
CUT_MESSAGES = f"DELETE FROM agent_messages WHERE {PLACE} AND position >= ?"
DROP_OLD_WRITES = f"DELETE FROM agent_writes WHERE {PLACE} AND checkpoint_id < ?"
INNER_STATES = (
    "SELECT ns FROM agent_states WHERE scope = ? AND thread_id = ? AND ns <> '' AND root_id < ?"
)
# LangGraph's threads may bring a write when its step is over; nobody would read it any more.
SAVE_WRITE = (
    "INSERT INTO agent_writes (scope, thread_id, ns, checkpoint_id, task_id, idx, channel, value)"
    " SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS"
    f" (SELECT 1 FROM agent_states WHERE {PLACE} AND checkpoint_id > ?)"
    " ON CONFLICT (scope, thread_id, ns, checkpoint_id, task_id, idx) DO "
)
THREADS = "SELECT thread_id FROM agent_states WHERE scope = ? AND ns = '' ORDER BY checkpoint_id"
TABLES = ("agent_states", "agent_messages", "agent_writes")
DELETE_GRAPH = tuple(f"DELETE FROM {table} WHERE {PLACE}" for table in TABLES)
DELETE_THREAD = tuple(f"DELETE FROM {table} WHERE scope = ? AND thread_id = ?" for table in TABLES)
