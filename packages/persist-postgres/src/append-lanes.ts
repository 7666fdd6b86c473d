import type { Database } from './database.ts';
import { DatabaseFailure } from './from-postgres-error.ts';

/** Limits the appending statements under way, so that readers have the other connections of the pool. */
const LANES = 4;
const BATCH_CALLS = 32;
const BATCH_BYTES = 4 * 1024 * 1024;

/** A call of one of the SQL functions that append. */
export interface AppendCall {
  readonly name: 'append' | 'append_one';
  /** In the order of the function. */
  readonly values: readonly [key: number, ...rest: unknown[]];
}

interface Waiting {
  readonly call: AppendCall;
  /** Copy of the settings, stored in the same transaction. */
  readonly kept: string | undefined;
  readonly bytes: number;
  readonly resolve: (stored: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Appends to the conversations of a store. Appends that wait for a lane go together in one statement. */
export class AppendLanes {
  readonly #database: Database;
  #waiting: Waiting[] = [];
  #busy = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves with true if the group was stored, and false if the log is elsewhere. Rejects with a {@link DatabaseFailure}. */
  append(call: AppendCall, kept: string | undefined, bytes: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, kept, bytes, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#busy === LANES || this.#waiting.length === 0) return;
    this.#busy++;
    void this.#send(this.#take()).finally(() => {
      this.#busy--;
      this.#next();
    });
  }

  #take(): Waiting[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((waiting, at) => {
      bytes += waiting.bytes;
      return at > 0 && (at === BATCH_CALLS || bytes > BATCH_BYTES);
    });
    // Sort by key, so that two stores lock the same rows in the same order and never deadlock.
    return this.#waiting
      .splice(0, end < 0 ? this.#waiting.length : end)
      .sort((a, b) => a.call.values[0] - b.call.values[0]);
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    try {
      const values: unknown[] = [];
      const calls = batch.map(({ call, kept }, at) => `${callText(call, kept, values)} AS stored_${at}`);
      const [row] = await this.#database.attempt(`SELECT ${calls.join(', ')}`, values);
      for (const [at, { resolve }] of batch.entries()) resolve(String(row?.[`stored_${at}`]) === 'true');
    } catch (error) {
      await this.#fail(batch, error);
    }
  }

  /** Handles a failed batch. One append may have caused a lasting refusal of all, so each is then tried by itself. */
  async #fail(batch: readonly Waiting[], error: unknown): Promise<void> {
    const refused = error instanceof DatabaseFailure && !error.unknown && !error.passing;
    if (refused && batch.length > 1) for (const waiting of batch) await this.#send([waiting]);
    else for (const { reject } of batch) reject(error);
  }
}

/** Returns the text of one call, and adds its values to `values`. */
function callText(call: AppendCall, kept: string | undefined, values: unknown[]): string {
  const append = `@.${call.name}(${call.values.map((value) => `$${values.push(value)}`).join(', ')})`;
  if (kept === undefined) return append;
  return `CASE WHEN ${append} THEN @.keep($${values.push(call.values[0])}, $${values.push(kept)}) ELSE false END`;
}
