import { statSync } from 'node:fs';
import { systemPlatform, type Platform } from '@conv/core/platform';
import type { AcquireInput, AppendItem, AppendOutcome, Head } from '../calls.ts';
import { Appender } from './append-group.ts';
import type { Connection } from './connection.ts';
import { headOf } from './heads.ts';
import { Owners, type OwnersSettings } from './owners.ts';
import { replaced } from './refusal.ts';

/** Also written where a failed acquisition may have left another mode. */
const FLUSH_ALL = 'PRAGMA synchronous = FULL';

/**
 * Writes in the calling thread, by a connection that waits for no lock (docs/decisions/0201-single-commits-of-sqlite-are-written-at-once.md).
 * Each of its calls may throw: nothing was changed then that the thread could not change again.
 */
export class FirstWrites {
  readonly #connection: Connection;
  readonly #owners: Owners;
  readonly #appender: Appender;
  /** The write-ahead log. SQLite keeps it beside the file itself, and not beside a link to it. */
  readonly log: string;
  #isBroken = false;

  /** `platform`: that of the threads, because heartbeats are compared with those of threads and of other processes. */
  constructor(connection: Connection, settings: OwnersSettings, platform: Platform = systemPlatform) {
    if (!connection.ends) throw new Error(`database ${connection.file} is open for reading alone`);
    this.#connection = connection;
    this.#owners = new Owners(settings, platform);
    this.#appender = new Appender(this.#owners);
    this.log = `${String(connection.get('PRAGMA database_list')?.['file'])}-wal`;
    connection.exec(FLUSH_ALL);
    // moving the log into the database takes long, so it is left to the thread
    connection.exec('PRAGMA wal_autocheckpoint = 0');
  }

  /** Identity of the file that is open, see `placeOf`. */
  get place(): string {
    return this.#connection.place;
  }

  /** True if the connection may have stopped to flush: then it must write nothing more. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /**
   * Makes the store the owner of a conversation that is there, and leaves the flush to the caller. `held`: the conversations that the
   * store owns. The end is marked by {@link FirstWrites.mark} after the flush.
   */
  acquire(input: AcquireInput, held: OwnersSettings['held']): Head {
    const connection = this.#connection;
    if (!connection.isInPlace) throw replaced(connection.file);
    this.#owners.hold(held);
    // Invariant: a log that has frames is continued in front of its next flush, and never begun anew without one: its old frames could
    // come back after a loss of power. SQLite flushes the new beginning of a log in the mode NORMAL; an empty log has no old frames.
    const isEmpty = this.#isLogEmpty();
    connection.exec(`PRAGMA synchronous = ${isEmpty ? 'OFF' : 'NORMAL'}`);
    // until the mode is FULL again, which SQLite refuses while it cannot read the schema
    this.#isBroken = true;
    try {
      return this.#owners.acquire(connection, { ...input, create: 'never' }, () => {
        if (isEmpty && !this.#isLogEmpty()) throw new Error('another process has begun the log meanwhile');
      });
    } finally {
      connection.exec(FLUSH_ALL);
      this.#isBroken = false;
    }
  }

  #isLogEmpty(): boolean {
    return (statSync(this.log, { throwIfNoEntry: false })?.size ?? 0) === 0;
  }

  /** Marks the end of a conversation, durably. Throws if it has another owner by now, or is gone: what was acquired is over then. */
  mark(id: string, head: Head): void {
    const connection = this.#connection;
    if (!connection.isInPlace) throw replaced(connection.file);
    if (headOf(connection, head.key)?.epoch !== head.epoch) throw new Error(`conversation ${id} was taken over`);
    connection.ends?.set({ id, ...head });
  }

  /** Stores commits in one transaction, as the thread does. When it returns, they are durable, unless it returns a failure. */
  store(items: readonly AppendItem[]): readonly AppendOutcome[] {
    return this.#appender.store(this.#connection, items);
  }
}
