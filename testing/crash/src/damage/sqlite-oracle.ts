import { rmSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';

import { harmed } from './harm.ts';
import type { Harm, Recording } from './target.ts';

type Row = Record<string, unknown>;

interface Seen {
  /** The row of each commit of the recorded conversation that SQLite can read. */
  readonly rows: ReadonlyMap<number, Row>;
  /** The end of the log according to the conversation's own row. */
  readonly end: number;
}

/** Reads harmed databases as SQLite does, without a line of the store. */
export class SqliteOracle {
  readonly #file: string;
  readonly #whole = new Map<Recording, Seen>();
  #last: { readonly harms: readonly Harm[]; readonly recording: Recording; readonly seen: Seen } | undefined;

  /** `file`: a place for copies. */
  constructor(file: string) {
    this.#file = file;
  }

  /** The commits whose rows SQLite cannot read any more as they were. */
  destroyed(recording: Recording, harms: readonly Harm[]): ReadonlySet<number> {
    const { rows: before } = this.#recorded(recording);
    const { rows } = this.#now(recording, harms);
    const { commits } = recording.life;
    return new Set(commits.map(({ seq }) => seq).filter((seq) => !isDeepStrictEqual(before.get(seq), rows.get(seq))));
  }

  /** Returns the commits that whole marks, a copy of settings, the conversation's row, or a later commit prove. */
  proven(recording: Recording, harms: readonly Harm[]): ReadonlySet<number> {
    const destroyed = this.destroyed(recording, harms);
    const { end } = this.#now(recording, harms);
    const ends = [end];
    for (const { seq } of recording.life.commits) if (!destroyed.has(seq)) ends.push(seq + 1);
    const marks = recording.units.get('database-ends');
    if (marks && !harms.some(({ unit }) => unit === 'database-ends')) ends.push(recording.life.commits.length);
    ends.push(...keptEnds(recording, harms));
    const shown = Math.max(...ends);
    return new Set([...destroyed].filter((seq) => seq < shown));
  }

  #recorded(recording: Recording): Seen {
    const known = this.#whole.get(recording);
    if (known) return known;
    const seen = this.#read(recording, []);
    this.#whole.set(recording, seen);
    return seen;
  }

  #now(recording: Recording, harms: readonly Harm[]): Seen {
    if (this.#last?.harms === harms && this.#last.recording === recording) return this.#last.seen;
    const seen = this.#read(recording, harms);
    this.#last = { harms, recording, seen };
    return seen;
  }

  #read(recording: Recording, harms: readonly Harm[]): Seen {
    for (const end of ['', '-wal', '-shm']) rmSync(this.#file + end, { force: true });
    for (const end of ['', '-wal']) {
      const bytes = recording.units.get(`database${end}`);
      if (bytes) writeFileSync(this.#file + end, harmed(`database${end}`, bytes, harms));
    }
    const rows = new Map<number, Row>();
    let end = 0;
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(this.#file);
      end = Number(
        this.#one(database, 'SELECT next_seq FROM conversations WHERE id = ?', recording.life.id)?.['next_seq'] ?? 0,
      );
      const spans = this.#spans(recording, database);
      for (const { seq } of recording.life.commits) {
        const span = spans.find(({ first_seq, end_seq }) => Number(first_seq) <= seq && seq < Number(end_seq));
        if (span === undefined || !this.#isKnown(database, span)) continue;
        const row = this.#one(
          database,
          'SELECT * FROM commits WHERE position = ?',
          Number(span['log']) * 2 ** 32 + seq,
        );
        if (row) rows.set(seq, row);
      }
    } catch {
      // It is no database any more.
    } finally {
      database?.close();
    }
    return { rows, end };
  }

  /**
   * False if SQLite cannot find the row any more that says which commits of its source a fork began with: nothing else tells. The
   * place of its own log follows from its key.
   */
  #isKnown(database: DatabaseSync, span: Row): boolean {
    if (span['conversation'] === span['log']) return true;
    const sql = 'SELECT * FROM spans WHERE conversation = ? AND first_seq = ?';
    return isDeepStrictEqual(this.#one(database, sql, Number(span['conversation']), Number(span['first_seq'])), span);
  }

  readonly #logs = new Map<Recording, readonly Row[]>();

  /** Returns the places of its commits, as recorded. */
  #spans(recording: Recording, database: DatabaseSync): readonly Row[] {
    const known = this.#logs.get(recording);
    if (known) return known;
    const sql = 'SELECT s.* FROM spans s JOIN conversations c ON c.key = s.conversation WHERE c.id = ?';
    const spans = database.prepare(sql).all(recording.life.id) as Row[];
    this.#logs.set(recording, spans);
    return spans;
  }

  #one(database: DatabaseSync, sql: string, ...values: readonly (string | number)[]): Row | undefined {
    try {
      return database.prepare(sql).get(...values);
    } catch {
      return undefined;
    }
  }
}

/** Returns the ends of the log when settings were copied beside the database, from the whole lines of that file. */
function keptEnds({ units, life }: Recording, harms: readonly Harm[]): readonly number[] {
  const bytes = units.get('database-kept');
  const lines = bytes ? harmed('database-kept', bytes, harms).toString().split('\n') : [];
  const whole = lines.filter((line) => Number.parseInt(line.slice(0, 8), 16) === crc32(line.slice(9)));
  return whole
    .map((line) => line.split(' '))
    .filter(([, , id]) => id === life.id)
    .map(([, , , , , , seq]) => Number(seq));
}
