import { statSync } from 'node:fs';
import type { Platform } from '@conv/core/platform';
import { StoreError } from '@conv/core/store';
import type { PageSelection } from '@conv/store-kit';
import type { Reading } from '../calls.ts';
import type { SqliteRow } from '../driver.ts';
import { openDatabase, resultCode } from '../drivers/node-sqlite-in-worker.ts';
import type { Connection } from './connection.ts';
import { listConversations } from './list-conversations.ts';
import { assertDatabaseFile, isBegun } from './make-database-file.ts';
import type { ThreadSettings } from './database-server.ts';
import { FirstWrites } from './first-writes.ts';
import { openConnection, type ConnectionOptions } from './open-connection.ts';
import { readings } from './readings.ts';

/** The largest files beside a database that an opening reads in the calling thread, in bytes. */
const BESIDE: Readonly<Record<string, number>> = { '-wal': 8 * 1024 * 1024, '-ends': 16 * 1024, '-kept': 256 * 1024 };

/**
 * A connection in the calling thread, for the first reads of a store (docs/decisions/0179-first-reads-of-sqlite-need-no-thread.md), for pages of lists, and for single writes.
 * It waits for no lock, and changes no schema. Each of its calls may throw: a thread is asked then, whose answer counts, unless it is a `StoreError`.
 */
export class FirstReads {
  readonly #options: ThreadSettings & ConnectionOptions;
  readonly #platform: Platform;
  #connection: Connection | undefined;

  constructor(options: ThreadSettings & ConnectionOptions, platform: Platform) {
    this.#options = { ...options, busyTimeout: 0, migrates: false };
    this.#platform = platform;
  }

  /** Answers a call as the reading thread does. */
  run(name: Reading, input: readonly unknown[]): unknown {
    return (readings[name] as (connection: Connection, ...input: readonly unknown[]) => unknown)(this.open(), ...input);
  }

  /** Returns a page of a list, as the reading thread does. */
  list(selection: PageSelection): readonly SqliteRow[] {
    return listConversations(this.open(), selection);
  }

  /** Begins to write by this connection. `attached`: a thread has the database open. */
  writes(attached: boolean): FirstWrites {
    return new FirstWrites(this.open(attached), this.#options);
  }

  /** Opens the database, unless it is open. */
  open(attached: boolean = this.#options.attached === true): Connection {
    return (this.#connection ??= this.#connect(attached));
  }

  /** Throws `UNAVAILABLE` if the file that is open has lost its name. */
  assertInPlace(): void {
    if (this.#isMoved())
      throw new StoreError(
        'UNAVAILABLE',
        `database ${this.#options.file} was removed or replaced by another file; open the store again`,
      );
  }

  /** False also if its name cannot be looked up, which a thread then says better. */
  #isMoved(): boolean {
    try {
      return this.#connection?.isInPlace === false;
    } catch {
      return false;
    }
  }

  /** Gives the connection back. Does not throw: nothing was written by it. */
  close(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    try {
      connection?.close();
    } catch {
      // Files that are left beside the database belong to it, and the next opening finds them.
    }
  }

  #connect(attached: boolean): Connection {
    const { file } = this.#options;
    assertDatabaseFile(file);
    if (!isBegun(file)) throw new Error('there is no database yet');
    for (const [end, most] of Object.entries(attached ? {} : BESIDE))
      if ((statSync(file + end, { throwIfNoEntry: false })?.size ?? 0) > most)
        throw new Error(`${file}${end} has more than ${most} bytes`);
    return openConnection({ openDatabase, resultCode }, { ...this.#options, attached }, this.#platform);
  }
}
