import { errorText } from '@conv/core';
import { isStoreError, toCommitSeq, type Commit, type Damage } from '@conv/core/store';
import type { LogPart } from '@conv/store-kit';
import { toCommit } from './commit-body.ts';
import type { Database } from './database.ts';
import type { Row } from './postgres-pool.ts';

/** Limits the commits of a part. It also ends after the commit that reaches the limit of bytes. */
const PART_COMMITS = 512;
const PART_BYTES = 1024 * 1024;

/** Range of commits in one log; ends are exclusive. */
export interface Span {
  readonly log: number;
  readonly firstSeq: number;
  readonly endSeq: number;
  readonly endEvent: number;
}

/** Part of a range, see {@link LogPart}. */
export interface Part extends LogPart {
  readonly commits: readonly Commit[];
}

/** Reads the commits of a conversation in parts, and names the damaged ones. */
export class LogParts {
  readonly #database: Database;
  readonly #spans: readonly Span[];
  readonly #onDamage: (damage: Damage) => void;

  constructor(database: Database, spans: readonly Span[], onDamage: (damage: Damage) => void) {
    this.#database = database;
    this.#spans = spans;
    this.#onDamage = onDamage;
  }

  /** Reads the first commits from `from` on, before `to`. */
  async read(from: number, to: number): Promise<Part> {
    const span = this.#spans.find(({ endSeq }) => from < endSeq) as Span;
    if (from < span.firstSeq) return this.#unknown(from, Math.min(to, span.firstSeq));
    for (let limit = Math.min(to, span.endSeq, from + PART_COMMITS); ; limit = from + ((limit - from) >> 1)) {
      try {
        const rows = await this.#rows(span.log, from, limit);
        const last = rows.at(-1);
        const next = last
          ? Number(last['o_seq']) + 1
          : await this.#nextStored(span.log, limit, Math.min(to, span.endSeq));
        return { commits: this.#sound(rows, span.log, from, next), next };
      } catch (error) {
        // PostgreSQL rejects the whole statement for one unreadable row, so halve the part until that row is alone.
        if (!isStoreError(error, 'CORRUPT')) throw error;
        if (limit - from > 1) continue;
        this.#lose(from, from, error.message);
        return { commits: [], next: from + 1 };
      }
    }
  }

  /** Returns, for each of two events, the number of the first commit that ends after it. Trusts the numbers in the rows. */
  async seqsOf(events: readonly [number, number], endSeq: number): Promise<readonly [number, number]> {
    const places = events.flatMap((event) => {
      const span = this.#spans.find(({ endEvent }) => event < endEvent) as Span;
      return [span.log, span.firstSeq, Math.min(span.endSeq, endSeq), event];
    });
    const text = 'SELECT @.seq_of_event($1, $2, $3, $4) AS first, @.seq_of_event($5, $6, $7, $8) AS last';
    const [row] = await this.#database.run(text, places);
    return [Number(row?.['first']), Number(row?.['last'])];
  }

  /** Finds the commits that may hold a range of events, by undamaged commits alone, which do not mislead. Ends are exclusive. */
  async wholeRange(fromEvent: number, toEvent: number, endSeq: number): Promise<readonly [number, number]> {
    const [from, last] = [await this.#halve(fromEvent, endSeq), await this.#halve(toEvent - 1, endSeq)];
    // After an unreadable commit the next readable commit may hold the event.
    const next = await this.#nextWhole(last, endSeq);
    return [from, next && next.firstEvent < toEvent ? next.seq + 1 : Math.min(endSeq, last + 1)];
  }

  async #halve(event: number, endSeq: number): Promise<number> {
    let [low, high] = [0, endSeq];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = await this.#nextWhole(middle, high);
      if (found && found.firstEvent + found.events.length <= event) low = found.seq + 1;
      else high = middle;
    }
    return low;
  }

  async #nextWhole(from: number, to: number): Promise<Commit | undefined> {
    for (let [at, width] = [from, 1]; at < to; width *= 8) {
      const { commits, next } = await this.read(at, Math.min(to, at + width));
      if (commits[0]) return commits[0];
      at = next;
    }
    return undefined;
  }

  /** Names commits as lost because the row with their log is damaged. */
  #unknown(from: number, to: number): Part {
    this.#lose(from, to - 1, 'the row that says in which log these commits are is damaged');
    return { commits: [], next: to };
  }

  /** Returns the number of the first stored commit from `from` on, so that a long gap is skipped at once. */
  async #nextStored(log: number, from: number, to: number): Promise<number> {
    if (from >= to) return to;
    const text = 'SELECT min(seq) AS seq FROM @.commits WHERE log = $1 AND seq >= $2 AND seq < $3';
    const [row] = await this.#database.run(text, [log, from, to]);
    return row?.['seq'] === null || row?.['seq'] === undefined ? to : Number(row['seq']);
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

  /** Returns the undamaged commits of rows. Everything else from `from` to before `next` is damage. */
  #sound(rows: readonly Row[], log: number, from: number, next: number): Commit[] {
    const commits: Commit[] = [];
    let expected = from;
    for (const row of rows) {
      const seq = Number(row['o_seq']);
      if (seq > expected) this.#lose(expected, seq - 1, 'rows are missing');
      expected = seq + 1;
      try {
        commits.push(toCommit(row, log));
      } catch (error) {
        this.#lose(seq, seq, errorText(error));
      }
    }
    if (expected < next) this.#lose(expected, next - 1, 'rows are missing');
    return commits;
  }

  #lose(from: number, to: number, reason: string): void {
    const span = { from: toCommitSeq(from), to: toCommitSeq(to) };
    this.#onDamage({ ...span, reason: `schema ${this.#database.schema}: ${reason}`, restored: [] });
  }
}
