import type { Connection } from './connection.ts';
import { Refusal } from './refusal.ts';

/**
 * The schema, one step per version; a step that was released is never changed.
 *
 * A commit's position is the number of its log in the upper and its own number in the lower 32 bits, so that a log lies
 * together and is found by one tree. A conversation is a chain of spans of logs: a fork begins with spans of its source's logs
 * and goes on in one of its own. Logs have the key of the conversation they were made for; keys are never used again.
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
];

/**
 * Brings a database to the newest schema, all steps or none. Refuses `UNSUPPORTED` one of a newer version and one that is
 * another program's.
 */
export function migrate(connection: Connection, steps: readonly string[] = migrations): void {
  if (versionOf(connection, steps.length) === steps.length) return;
  connection.transaction(() => {
    // another process may have done it meanwhile
    const version = versionOf(connection, steps.length);
    if (version === 0) {
      connection.exec(
        'CREATE TABLE IF NOT EXISTS conv_schema (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL) STRICT',
      );
    }
    for (const [at, step] of steps.entries()) {
      if (at < version) continue;
      connection.exec(step);
      connection.run('INSERT INTO conv_schema VALUES (?, ?)', at + 1, new Date().toISOString());
    }
  });
}

/** The version of a database's schema, 0 for an empty one. Refuses what this package cannot read. */
export function versionOf(connection: Connection, known: number = migrations.length): number {
  const tables = connection.get("SELECT count(*) AS count FROM sqlite_schema WHERE type = 'table'")?.['count'];
  if (tables === 0) return 0;
  const own = connection.get("SELECT 1 AS there FROM sqlite_schema WHERE type = 'table' AND name = 'conv_schema'");
  if (!own) {
    throw new Refusal('UNSUPPORTED', `database ${connection.file} holds the tables of another program`);
  }
  const version = Number(connection.get('SELECT max(version) AS version FROM conv_schema')?.['version'] ?? 0);
  if (version > known) {
    throw new Refusal(
      'UNSUPPORTED',
      `database ${connection.file} has schema version ${version}, this version of the package knows ${known} and older`,
    );
  }
  return version;
}
