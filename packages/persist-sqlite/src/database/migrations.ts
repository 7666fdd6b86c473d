/**
 * Steps to the schema, one per version. A released step never changes.
 *
 * A commit's position has the number of its log in the upper and its own number in the lower 32 bits. So a log lies together, and
 * one tree finds it. A conversation is a chain of spans of logs: a fork begins with spans of its source's logs and continues in its
 * own log. A log has the key of the conversation that it was made for; keys are never used again.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE conversations (
     key INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     epoch INTEGER NOT NULL,
     next_seq INTEGER NOT NULL,
     next_event INTEGER NOT NULL,
     owner_token TEXT,
     owner_name TEXT,
     title TEXT NOT NULL,
     status TEXT NOT NULL,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL,
     tags TEXT NOT NULL,
     parent_id TEXT,
     forked_from TEXT
   ) STRICT;
   CREATE INDEX conversations_by_change ON conversations (updated_at, id);
   CREATE INDEX conversations_by_creation ON conversations (created_at, id);
   CREATE INDEX conversations_by_status_and_change ON conversations (status, updated_at, id);
   CREATE INDEX conversations_by_status_and_creation ON conversations (status, created_at, id);
   CREATE INDEX conversations_by_owner ON conversations (owner_token) WHERE owner_token IS NOT NULL;
   CREATE TABLE spans (
     conversation INTEGER NOT NULL,
     first_seq INTEGER NOT NULL,
     end_seq INTEGER NOT NULL,
     end_event INTEGER NOT NULL,
     log INTEGER NOT NULL,
     crc INTEGER NOT NULL,
     PRIMARY KEY (conversation, first_seq)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX spans_by_log ON spans (log);
   CREATE TABLE commits (
     position INTEGER PRIMARY KEY,
     epoch INTEGER NOT NULL,
     first_event INTEGER NOT NULL,
     events INTEGER NOT NULL,
     crc INTEGER NOT NULL,
     body TEXT NOT NULL
   ) STRICT;
   CREATE TABLE event_ids (
     log INTEGER NOT NULL,
     id TEXT NOT NULL,
     event INTEGER NOT NULL,
     PRIMARY KEY (log, id)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE snapshots (
     conversation INTEGER PRIMARY KEY,
     seq INTEGER NOT NULL,
     version INTEGER NOT NULL,
     crc INTEGER NOT NULL,
     data TEXT NOT NULL
   ) STRICT;
   CREATE TABLE owners (
     token TEXT PRIMARY KEY,
     process TEXT NOT NULL,
     patience INTEGER NOT NULL,
     renewed_at INTEGER NOT NULL,
     renewed_since_boot INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE garbage (
     log INTEGER PRIMARY KEY,
     from_seq INTEGER NOT NULL,
     from_event INTEGER NOT NULL
   ) STRICT;`,
  // A second index of the ids, because damage to one index must not hide a conversation.
  'CREATE INDEX conversations_by_id ON conversations (id)',
  `CREATE INDEX conversations_by_parent ON conversations (parent_id) WHERE parent_id IS NOT NULL;`,
  // A copy of the settings, because a lost commit must not make them weaker.
  'ALTER TABLE conversations ADD COLUMN kept TEXT',
];
