import { isStoreError, StoreError } from '@conv/core/store';
import { timers, type Platform } from '@conv/core/platform';
import { DatabaseFailure, fromPostgresError, toFailure } from './from-postgres-error.ts';
import type { PostgresConnection, PostgresPool, Query, Row } from './postgres-pool.ts';
import { isCurrent, migrate, type SchemaPlan } from './schema/migrate.ts';

const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 1000;

export interface DatabaseOptions extends SchemaPlan {
  readonly platform: Platform;
  readonly pool: PostgresPool;
  /** True if a missing or older schema is brought to this version. */
  readonly migrate: boolean;
  /** Milliseconds that a lost statement is tried again. */
  readonly requestTimeout: number;
  /** Milliseconds without an answer after which a statement counts as lost. */
  readonly answerTimeout: number;
}

/** Runs statements, each a transaction that needs nothing of its session: a pooler may stand between. */
export class Database {
  readonly schema: string;
  readonly platform: Platform;
  /** For each log, the number of the commit up to which the index finds every event. */
  readonly indexedUpTo: Map<number, number> = new Map();
  readonly #options: DatabaseOptions;
  #ready: Promise<void> | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.schema = options.schema;
    this.platform = options.platform;
  }

  /** Milliseconds that a lost statement is tried again. */
  get requestTimeout(): number {
    return this.#options.requestTimeout;
  }

  /**
   * Runs a statement in which `@.` stands for the schema. Rejects with a {@link DatabaseFailure}, whose `unknown` tells whether
   * the statement may have been executed.
   */
  async attempt(text: string, values: unknown[]): Promise<readonly Row[]> {
    await this.#prepare();
    return this.#withConnection((query) => query(this.#inSchema(text), values));
  }

  /** Runs a statement that may be executed twice, and repeats it once when its answer was lost. Rejects with a store error. */
  async run(text: string, values: unknown[]): Promise<readonly Row[]> {
    try {
      return await this.twice(() => this.attempt(text, values));
    } catch (error) {
      throw error instanceof DatabaseFailure ? error.error : error;
    }
  }

  /** Runs statements in one transaction that may be executed twice. Rejects with a {@link DatabaseFailure}. */
  async transaction<Value>(action: (query: Query) => Promise<Value>): Promise<Value> {
    return this.twice(async () => {
      await this.#prepare();
      return this.#inTransaction((query) => action((text, values) => query(this.#inSchema(text), values)));
    });
  }

  /**
   * Runs an action, and repeats it once when its answer was lost, as on every connection that was open when a server went away.
   * The {@link DatabaseFailure} of the repetition is always `unknown`, because the first attempt may have been executed.
   */
  async twice<Value>(action: () => Promise<Value>): Promise<Value> {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof DatabaseFailure && error.unknown && error.passing)) throw error;
    }
    try {
      return await action();
    } catch (error) {
      throw error instanceof DatabaseFailure ? new DatabaseFailure(error.error, true) : error;
    }
  }

  /** Repeats an action, with growing pauses, until it succeeds, fails for good, or `requestTimeout` is over. */
  async persist<Value>(action: () => Promise<Value>): Promise<Value> {
    const end = this.platform.monotonic() + this.requestTimeout;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        return await action();
      } catch (error) {
        const passing = error instanceof DatabaseFailure && error.passing;
        if (!passing || this.platform.monotonic() + pause > end) throw error;
      }
      await timers.sleep(this.platform, pause);
    }
  }

  #inSchema(text: string): string {
    return text.replaceAll('@.', `"${this.schema}".`);
  }

  #prepare(): Promise<void> {
    if (this.#ready) return this.#ready;
    const ready = this.#migrate();
    this.#ready = ready;
    // Try again with the next statement, because the cause may be mended.
    ready.catch(() => {
      this.#ready = undefined;
    });
    return ready;
  }

  async #migrate(): Promise<void> {
    if (await this.#withConnection((query) => isCurrent(query, this.#options))) return;
    if (!this.#options.migrate)
      throw new StoreError(
        'UNSUPPORTED',
        `schema ${this.schema} is missing or older, and the option migrate is false; open it once with migrate: true`,
      );
    await this.#inTransaction((query) => migrate(query, this.#options));
  }

  async #inTransaction<Value>(action: (query: Query) => Promise<Value>): Promise<Value> {
    return this.#withConnection(async (query) => {
      await query('BEGIN', []);
      try {
        const value = await action(query);
        await query('COMMIT', []);
        return value;
      } catch (error) {
        const broken = error instanceof DatabaseFailure && error.unknown;
        if (!broken) await query('ROLLBACK', []).catch(() => {});
        throw error;
      }
    });
  }

  async #withConnection<Value>(action: (query: Query) => Promise<Value>): Promise<Value> {
    const connection = await this.#connect();
    let broken = false;
    const onBroken = (): void => {
      broken = true;
    };
    // The pool does not listen to a connection in use, and an `error` event without a listener ends the process.
    connection.on('error', onBroken);
    try {
      return await action(async (text, values) => {
        try {
          return (await connection.query(this.#timed(text, values))).rows as readonly Row[];
        } catch (error) {
          const failure = toFailure(error, this.#subject);
          broken ||= failure.unknown;
          throw failure;
        }
      });
    } catch (error) {
      throw isStoreError(error) ? new DatabaseFailure(error, false) : error;
    } finally {
      connection.off('error', onBroken);
      connection.release(broken);
    }
  }

  async #connect(): Promise<PostgresConnection> {
    try {
      return await this.#options.pool.connect();
    } catch (error) {
      // Without a connection nothing was sent, so the outcome is known.
      throw new DatabaseFailure(fromPostgresError(error, this.#subject), false);
    }
  }

  #timed(text: string, values: unknown[]): { text: string; values: unknown[] } {
    const query = { text, values, query_timeout: this.#options.answerTimeout };
    return query;
  }

  get #subject(): string {
    return `schema ${this.schema}`;
  }
}
