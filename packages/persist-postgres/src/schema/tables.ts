/**
 * Returns the SQL of the tables, for the schema `s`, a quoted name.
 *
 * A conversation's own commits are in the log of its key; keys are never used again. A fork begins with spans of its source's
 * logs (`inherited`) and continues in its own from `own_from` on. `heads` has the columns that change with every commit, without an
 * index on them, so that PostgreSQL updates the row within its page. `summaries` has the columns that lists show.
 */
export const createTables = (s: string): string => `
CREATE TABLE ${s}.heads (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  birth uuid NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  turn bigint NOT NULL DEFAULT 0,
  next_seq bigint NOT NULL DEFAULT 0,
  next_event bigint NOT NULL DEFAULT 0,
  own_from bigint NOT NULL DEFAULT 0,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  claim uuid,
  token uuid,
  owner text
) WITH (fillfactor = 50);
CREATE INDEX heads_by_token ON ${s}.heads (token) WHERE token IS NOT NULL;
CREATE TABLE ${s}.owners (
  token uuid PRIMARY KEY,
  process text NOT NULL,
  lease_until timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE ${s}.summaries (
  key bigint PRIMARY KEY,
  id uuid NOT NULL,
  title text NOT NULL,
  status text NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  updated_at timestamptz NOT NULL,
  tags text NOT NULL,
  parent_id text,
  forked_from text
);
CREATE INDEX summaries_by_change ON ${s}.summaries (updated_at, id);
CREATE INDEX summaries_by_creation ON ${s}.summaries (created_at, id);
CREATE INDEX summaries_by_status_and_change ON ${s}.summaries (status, updated_at, id);
CREATE INDEX summaries_by_status_and_creation ON ${s}.summaries (status, created_at, id);
CREATE TABLE ${s}.commits (
  log bigint NOT NULL,
  seq bigint NOT NULL,
  epoch bigint NOT NULL,
  first_event bigint NOT NULL,
  events integer NOT NULL,
  crc integer NOT NULL,
  id uuid NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (log, seq)
);
CREATE TABLE ${s}.event_ids (
  log bigint NOT NULL,
  id uuid NOT NULL,
  event bigint NOT NULL,
  PRIMARY KEY (log, id)
);
CREATE TABLE ${s}.inherited (
  key bigint NOT NULL,
  first_seq bigint NOT NULL,
  end_seq bigint NOT NULL,
  end_event bigint NOT NULL,
  log bigint NOT NULL,
  PRIMARY KEY (key, first_seq)
);
CREATE INDEX inherited_by_log ON ${s}.inherited (log);
CREATE TABLE ${s}.snapshots (
  key bigint PRIMARY KEY,
  seq bigint NOT NULL,
  version integer NOT NULL,
  data text NOT NULL
);`;
