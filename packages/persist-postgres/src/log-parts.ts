import { isStoreError, toCommitSeq, type Commit, type Damage } from '@conv/core/store';
import { toCommit } from './commit-body.ts';
import type { Database } from './database.ts';
import type { Row } from './postgres-pool.ts';

/** A part ends behind this many commits, or behind the one that reaches this many bytes. */
const PART_COMMITS = 512;
const PART_BYTES = 1024 * 1024;

/** Commits that are in one log; ends are exclusive. */
export interface Span {
  readonly log: number;
  readonly firstSeq: number;
  readonly endSeq: number;
  readonly endEvent: number;
}

/** The next commits of a range. */
export interface Part {
  readonly commits: readonly Commit[];
  /** The commit to go on with. */
  readonly next: number;
}

/** Reads the commits of a conversation piece by piece, around what is damaged. */
export class LogParts {
  readonly #database: Database;
  readonly #spans: readonly Span[];
  readonly #damage = new Map<number, Damage>();

  constructor(database: Database, spans: readonly Span[]) {
    this.#database = database;
    this.#spans = spans;
  }

  /** What could not be read so far. */
  get damage(): readonly Damage[] {
    return [...this.#damage.values()].sort((a, b) => a.from - b.from);
  }

  /** The first commits from `from` on, before `to`. */
  async read(from: number, to: number): Promise<Part> {
    const span = this.#spans.find(({ endSeq }) => from < endSeq) as Span;
    for (let limit = Math.min(to, span.endSeq, from + PART_COMMITS); ; limit = from + ((limit - from) >> 1)) {
      try {
        const rows = await this.#rows(span.log, from, limit);
        const last = rows.at(-1);
        const next = last ? Number(last['o_seq']) + 1 : limit;
        return { commits: this.#sound(rows, from, next), next };
      } catch (error) {
        // What the database cannot read is come near to by halves.
        if (!isStoreError(error, 'CORRUPT')) throw error;
        if (limit - from > 1) continue;
        this.#lose(from, from, error.message);
        return { commits: [], next: from + 1 };
      }
    }
  }

  /** The first commit that ends behind an event. */
  async seqOf(event: number, endSeq: number): Promise<number> {
    const span = this.#spans.find(({ endEvent }) => event < endEvent) as Span;
    const [row] = await this.#database.run('SELECT @.seq_of_event($1, $2, $3, $4) AS seq', [
      span.log,
      span.firstSeq,
      Math.min(span.endSeq, endSeq),
      event,
    ]);
    return Number(row?.['seq']);
  }

  #rows(log: number, from: number, to: number): Promise<readonly Row[]> {
    return this.#database.run('SELECT * FROM @.read_part($1, $2, $3, $4, $5)', [
      log,
      from,
      to,
      PART_COMMITS,
      PART_BYTES,
    ]);
  }

  /** The commits of rows that are as they were stored; everything else from `from` to before `next` is damage. */
  #sound(rows: readonly Row[], from: number, next: number): Commit[] {
    const commits: Commit[] = [];
    let expected = from;
    for (const row of rows) {
      const seq = Number(row['o_seq']);
      if (seq > expected) this.#lose(expected, seq - 1, 'rows are missing');
      expected = seq + 1;
      try {
        commits.push(toCommit(row));
      } catch (error) {
        this.#lose(seq, seq, error instanceof Error ? error.message : String(error));
      }
    }
    if (expected < next) this.#lose(expected, next - 1, 'rows are missing');
    return commits;
  }

  #lose(from: number, to: number, reason: string): void {
    if (this.#damage.has(from)) return;
    this.#damage.set(from, {
      from: toCommitSeq(from),
      to: toCommitSeq(to),
      reason: `schema ${this.#database.schema}: ${reason}`,
      restored: [],
    });
  }
}
