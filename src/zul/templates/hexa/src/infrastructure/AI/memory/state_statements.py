"""The SQL of the conversation saver, for SQLite and PostgreSQL alike; ``?`` is a parameter."""

PLACE = "scope = ? AND thread_id = ? AND ns = ?"
# One statement sees one moment: no transaction has to say so.
READ_STATE = (
    "SELECT s.checkpoint_id, s.parent_id, s.root_id, s.state, s.metadata, s.message_count,"
    " w.task_id, w.channel, w.value"
    " FROM agent_states s LEFT JOIN agent_writes w ON w.scope = s.scope"
    " AND w.thread_id = s.thread_id AND w.ns = s.ns AND w.checkpoint_id = s.checkpoint_id"
    " WHERE s.scope = ? AND s.thread_id = ? AND s.ns = ? ORDER BY w.task_id, w.idx"
)
# Those of one state: a row without a message when it has none, no row once it is replaced.
READ_MESSAGES = (
    "SELECT m.data FROM agent_states s LEFT JOIN agent_messages m ON m.scope = s.scope"
    " AND m.thread_id = s.thread_id AND m.ns = s.ns AND m.position >= ? AND m.position < ?"
    " WHERE s.scope = ? AND s.thread_id = ? AND s.ns = ? AND s.checkpoint_id = ?"
    " ORDER BY m.position"
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
DROP_WRITES = f"DELETE FROM agent_writes WHERE {PLACE} AND checkpoint_id = ?"
# What steps before this state have left behind: inner graphs by their name, writes as an empty one.
LEFT_OVER = (
    "SELECT ns FROM agent_states WHERE scope = ? AND thread_id = ? AND ns <> '' AND root_id < ?"
    f" UNION ALL SELECT '' WHERE EXISTS"
    f" (SELECT 1 FROM agent_writes WHERE {PLACE} AND checkpoint_id < ?)"
)
# LangGraph's threads may bring a write when its step is over; nobody would read it any more.
SAVE_WRITE = (
    "INSERT INTO agent_writes (scope, thread_id, ns, checkpoint_id, task_id, idx, channel, value)"
    " SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS"
    f" (SELECT 1 FROM agent_states WHERE {PLACE} AND parent_id = ?)"
    " ON CONFLICT (scope, thread_id, ns, checkpoint_id, task_id, idx) DO "
)
THREADS = "SELECT thread_id FROM agent_states WHERE scope = ? AND ns = '' ORDER BY checkpoint_id"
TABLES = ("agent_states", "agent_messages", "agent_writes")
DELETE_GRAPH = tuple(f"DELETE FROM {table} WHERE {PLACE}" for table in TABLES)
DELETE_THREAD = tuple(f"DELETE FROM {table} WHERE scope = ? AND thread_id = ?" for table in TABLES)
