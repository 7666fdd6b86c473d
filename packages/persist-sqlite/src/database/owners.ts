import { lifeOf, ownIdentity, type ProcessIdentity } from '@conv/store-kit/system';
import type { Platform } from '@conv/core/platform';
import type { AcquireInput, Head, TimeOfChange } from '../calls.ts';
import type { SqliteRow } from '../driver.ts';
import type { Connection } from './connection.ts';
import { insertConversation } from './new-conversation.ts';
import { findConversation } from './heads.ts';
import { existsAlready, notInStore, Refusal } from './refusal.ts';
import { transact } from './schema.ts';

/** The settings of a store that its owners need. */
export interface OwnersSettings {
  readonly token: string;
  readonly leaseTimeout: number;
  /** Conversations that journals of this store hold since before this thread. */
  readonly held: readonly { readonly key: number; readonly epoch: number }[];
}

/**
 * Conversations that one store owns. They share one heartbeat: a row that is renewed while the store holds any. No promise rests
 * on it or on a clock. The heartbeat decides who may try to take over; the epoch decides who may write.
 */
export class Owners {
  readonly #platform: Platform;
  readonly #token: string;
  readonly #leaseTimeout: number;
  readonly #identity: ProcessIdentity = ownIdentity();
  /** Epoch of each conversation that a journal of this store holds. */
  readonly #held = new Map<number, number>();
  /** True if this thread has written a heartbeat. */
  #signed: boolean;

  constructor({ token, leaseTimeout, held }: OwnersSettings, platform: Platform) {
    this.#platform = platform;
    this.#token = token;
    this.#leaseTimeout = leaseTimeout;
    this.hold(held);
    this.#signed = held.length > 0;
  }

  /** Replaces what journals of the store hold. */
  hold(held: OwnersSettings['held']): void {
    this.#held.clear();
    for (const { key, epoch } of held) this.#held.set(key, epoch);
  }

  get holdsAny(): boolean {
    return this.#held.size > 0;
  }

  /**
   * Makes this store the owner. The raised epoch fences older owners: each append checks it in its transaction. The caller marks the end
   * once the transaction is durable. `check` is called first in the transaction, which changes nothing if it throws.
   */
  acquire(connection: Connection, { id, create, owner, summary }: AcquireInput, check: () => void = () => {}): Head {
    const head = transact(connection, () => {
      check();
      const found = findConversation(connection, id);
      if (!found && create === 'never') throw notInStore(id);
      if (found && create === 'must') throw existsAlready(id);
      if (found) this.assertFree(connection, id);
      this.#renew(connection);
      const key = found?.key ?? insertConversation(connection, id, summary);
      const sql =
        'UPDATE conversations SET epoch = ? + 1, next_seq = ?, next_event = ?, owner_token = ?, owner_name = ? WHERE key = ?';
      connection.run(sql, found?.epoch ?? 0, found?.seq ?? 0, found?.event ?? 0, this.#token, owner, key);
      this.#forgetUnused(connection);
      return findConversation(connection, id) as Head;
    });
    this.#held.set(head.key, head.epoch);
    return head;
  }

  /** Gives a conversation up, unless another owner has it by now. `changedAt`: its time of change, if lists do not show it yet. */
  release(connection: Connection, key: number, epoch: number, changedAt: string | null): void {
    if (this.#held.get(key) === epoch) this.#held.delete(key);
    connection.transaction(() => {
      const sql =
        'UPDATE conversations SET owner_token = NULL, owner_name = NULL, updated_at = max(updated_at, coalesce(?, updated_at)) ' +
        'WHERE key = ? AND epoch = ? AND owner_token = ?';
      connection.run(sql, changedAt, key, epoch, this.#token);
    });
  }

  /** Throws `OWNED` while another owner of the conversation lives, or a journal of this store holds it. */
  assertFree(connection: Connection, id: string): void {
    const row = connection.get(
      'SELECT key, epoch, owner_name, owners.* FROM conversations JOIN owners ON token = owner_token WHERE id = ?',
      id,
    );
    if (!row) return;
    const until = this.#ownedUntil(row);
    if (until === undefined) return;
    const owner = String(row['owner_name']);
    throw new Refusal('OWNED', `conversation ${id} is owned by ${owner}; close it there, or read it`, {
      owner: { owner, epoch: Number(row['epoch']), ...(until === null ? {} : { until }) },
    });
  }

  /** Writes times of change of conversations that this store owns, unless lists show a newer one, which an append has written since. */
  writeTimes(connection: Connection, times: readonly TimeOfChange[]): void {
    const sql = 'UPDATE conversations SET updated_at = ? WHERE key = ? AND owner_token = ? AND updated_at < ?';
    connection.transaction(() => {
      for (const [key, time] of times) connection.run(sql, time, key, this.#token, time);
    });
  }

  /** Renews the heartbeat. Returns the keys of conversations that other owners have taken over. */
  beat(connection: Connection): readonly number[] {
    this.touch(connection);
    const sql = 'SELECT key, epoch FROM conversations WHERE owner_token = ?';
    const rows = Array.from(connection.iterate(sql, this.#token));
    const epochs = new Map(rows.map((row) => [Number(row['key']), Number(row['epoch'])]));
    // Release conversations whose release failed when their journals were closed.
    for (const [key, epoch] of epochs) if (!this.#held.has(key)) this.release(connection, key, epoch, null);
    const lost = [...this.#held].filter(([key, epoch]) => epochs.get(key) !== epoch).map(([key]) => key);
    for (const key of lost) this.#held.delete(key);
    return lost;
  }

  /** Forgets all held conversations because the database is gone. Returns their keys. */
  loseAll(): readonly number[] {
    const lost = [...this.#held.keys()];
    this.#held.clear();
    return lost;
  }

  /** Removes the heartbeat, if this thread has ever written one. */
  leave(connection: Connection): void {
    if (!this.#signed) return;
    connection.transaction(() => {
      connection.run('UPDATE conversations SET owner_token = NULL WHERE owner_token = ?', this.#token);
      connection.run('DELETE FROM owners WHERE token = ?', this.#token);
    });
  }

  /** Writes a page, which overwrites the remains of a failed transaction in the write-ahead log. */
  touch(connection: Connection): void {
    connection.transaction(() => this.#renew(connection));
  }

  /** Returns the end of an ownership in epoch milliseconds; `null` for a journal of this store, `undefined` if it is over. */
  #ownedUntil(row: SqliteRow): number | null | undefined {
    if (row['token'] === this.#token) return this.#held.has(Number(row['key'])) ? null : undefined;
    const process = processIn(row);
    // An owner whose process is unreadable through damage counts as living while its heartbeat is fresh.
    if (process && lifeOf(process, this.#identity) === 'dead') return undefined;
    const leaseTimeout = Number(row['patience']);
    // Processes of the same boot share a monotonic clock; with others only the time of day can be compared.
    const sameClock = process?.boot === this.#identity.boot;
    const age = sameClock
      ? this.#sinceBoot() - Number(row['renewed_since_boot'])
      : this.#platform.now() - Number(row['renewed_at']);
    if (age < 0 || age > leaseTimeout) return undefined;
    return this.#platform.now() - age + leaseTimeout;
  }

  #renew(connection: Connection): void {
    this.#signed = true;
    connection.run(
      'INSERT INTO owners VALUES (?, ?, ?, ?, ?) ON CONFLICT (token) ' +
        'DO UPDATE SET renewed_at = excluded.renewed_at, renewed_since_boot = excluded.renewed_since_boot',
      this.#token,
      JSON.stringify(this.#identity),
      this.#leaseTimeout,
      this.#platform.now(),
      this.#sinceBoot(),
    );
  }

  /** Removes heartbeats of dead owners that own nothing, so that killed processes do not pile up. */
  #forgetUnused(connection: Connection): void {
    const sql =
      'SELECT token, process FROM owners WHERE token <> ? ' +
      'AND NOT EXISTS (SELECT 1 FROM conversations WHERE owner_token = token)';
    for (const row of Array.from(connection.iterate(sql, this.#token))) {
      const process = processIn(row);
      if (process && lifeOf(process, this.#identity) === 'dead')
        connection.run('DELETE FROM owners WHERE token = ?', row['token'] ?? '');
    }
  }

  /** Returns milliseconds of a clock that all processes of one boot share and that no user sets. */
  #sinceBoot(): number {
    return Math.floor(this.#platform.monotonic());
  }
}

/** Returns the process that a heartbeat names; `undefined` when damage has made it unreadable. */
function processIn(row: SqliteRow): ProcessIdentity | undefined {
  try {
    return JSON.parse(String(row['process'])) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
