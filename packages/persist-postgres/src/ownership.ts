import { initialFields } from '@conv/core';
import { StoreError, type OpenOptions } from '@conv/core/store';
import { timers, type Timer } from '@conv/core/platform';
import { existsAlready, notInStore, ownedBy, type JournalWrites } from '@conv/store-kit';
import type { Database } from './database.ts';
import { DatabaseFailure } from './from-postgres-error.ts';
import type { Row } from './postgres-pool.ts';
import { describeProcess, hasEnded } from './process-identity.ts';
import { indexable, toColumns } from './summary.ts';

/** Milliseconds after which a lost statement can no longer be executed, whatever network or server delayed it. */
const VOID_FOR = 10 * 60_000;

/** Conversation that this store holds, as far as the heartbeat needs it. */
export interface Held {
  readonly id: string;
  readonly key: number;
  readonly epoch: number;
  readonly writes: JournalWrites;
}

/**
 * Conversations that a store owns. One lease, renewed by one statement, serves all of them. Only the clock of the database
 * decides when it ends. The lease decides who may try to take over; the epoch in each append decides who writes.
 */
export class Ownership {
  readonly #database: Database;
  readonly #leaseTimeout: number;
  readonly #token: string;
  readonly #process: string = describeProcess();
  readonly #held = new Set<Held>();
  /** Claims without a journal that the database may still hold for this store, and since when. */
  readonly #void = new Map<string, number>();
  #timer: Timer | undefined;
  #beating: Promise<void> | undefined;
  #known = false;

  constructor(database: Database, leaseTimeout: number) {
    this.#database = database;
    this.#leaseTimeout = leaseTimeout;
    this.#token = database.platform.id();
  }

  /** Claims a conversation. Resolves with its row and the claim. Rejects as `ConversationStore.open` does. */
  async acquire(id: string, { create = 'ifMissing', owner }: OpenOptions): Promise<{ row: Row; claim: string }> {
    const claim = this.#database.platform.id();
    this.#known = true;
    const call = async (freed: readonly string[]): Promise<Row> => this.#acquire(id, create, claim, owner, freed);
    try {
      let row = await call([]);
      // A process on this machine that has ended never comes back, so its lease need not end first.
      if (row['o_outcome'] === 'OWNED' && hasEnded(String(row['o_process'])))
        row = await call([String(row['o_claim'])]);
      refuse(id, row);
      return { row, claim };
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      if (!error.unknown) throw error.error;
      this.#avoid(claim);
      if (create === 'never') throw error.error;
      const text = `whether conversation ${id} was made is not known; open it to find out`;
      throw new StoreError('OUTCOME_UNKNOWN', text, { cause: error.error });
    }
  }

  /** Covers a conversation with the lease, and tells it when it is lost. */
  hold(held: Held): void {
    this.#held.add(held);
    this.#keepBeating();
  }

  /** Stops telling a conversation about its loss. */
  letGo(held: Held): void {
    this.#held.delete(held);
    this.#restIfIdle();
  }

  /** Gives a conversation up. */
  async release(key: number, claim: string): Promise<void> {
    try {
      await this.#database.run('SELECT @.release($1, $2)', [key, claim]);
    } catch {
      // No append uses the claim any more. The heartbeat frees it, so that others need not wait for the lease to end.
      this.#avoid(claim);
    }
  }

  /**
   * Removes a conversation. Resolves with its key, `undefined` if it was missing. Rejects `OWNED` while an owner lives, `OUTCOME_UNKNOWN`
   * when no attempt was answered.
   */
  async remove(id: string): Promise<number | undefined> {
    const call = async (freed: readonly string[]): Promise<readonly Row[]> => {
      const values = [id, [...this.#void.keys(), ...freed]];
      try {
        return await this.#database.twice(() => this.#database.attempt('SELECT * FROM @.remove($1, $2)', values));
      } catch (error) {
        if (!(error instanceof DatabaseFailure)) throw error;
        if (!error.unknown) throw error.error;
        const text = `whether conversation ${id} was deleted is not known; delete it again`;
        throw new StoreError('OUTCOME_UNKNOWN', text, { cause: error.error });
      }
    };
    let [row] = await call([]);
    if (isOwned(row) && hasEnded(String(row?.['o_process']))) [row] = await call([String(row?.['o_claim'])]);
    if (row && isOwned(row)) throw owned(id, row);
    return row && Number(row['o_key']);
  }

  /** Gives up all remaining claims. */
  async close(): Promise<void> {
    this.#rest();
    await this.#beating;
    if (!this.#known) return;
    await this.#database.run('SELECT @.farewell($1)', [this.#token]).catch(() => {
      // The lease ends by itself.
    });
  }

  async #acquire(id: string, create: string, claim: string, owner: string, freed: readonly string[]): Promise<Row> {
    const values = [
      id,
      create,
      claim,
      this.#token,
      indexable(owner),
      this.#process,
      this.#leaseTimeout,
      [...this.#void.keys(), ...freed],
      toColumns(initialFields),
    ];
    // A repeated call with the same claim finds the result of the first one.
    const [row] = await this.#database.twice(() =>
      this.#database.attempt('SELECT * FROM @.acquire($1, $2, $3, $4, $5, $6, $7, $8, $9)', values),
    );
    return row as Row;
  }

  /** Makes the heartbeat free a claim that the database may still hold. */
  #avoid(claim: string): void {
    this.#void.set(claim, this.#database.platform.monotonic());
    this.#keepBeating();
  }

  #restIfIdle(): void {
    if (this.#held.size === 0 && this.#void.size === 0) this.#rest();
  }

  #keepBeating(): void {
    if (this.#timer) return;
    // Let the program end when it has nothing else to do; that loses nothing.
    this.#timer = timers.every(this.#database.platform, this.#leaseTimeout / 3, () => this.#beat(), {
      background: true,
    });
  }

  #rest(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #beat(): void {
    this.#beating ??= this.#renew().finally(() => {
      this.#beating = undefined;
    });
  }

  async #renew(): Promise<void> {
    const held = [...this.#held];
    const freed = [...this.#void.keys()];
    try {
      const rows = await this.#database.attempt('SELECT * FROM @.heartbeat($1, $2, $3, $4, $5, $6)', [
        this.#token,
        this.#process,
        this.#leaseTimeout,
        held.map(({ key }) => key),
        held.map(({ epoch }) => epoch),
        freed,
      ]);
      for (const [claim, since] of this.#void)
        if (this.#database.platform.monotonic() - since > VOID_FOR) this.#void.delete(claim);
      this.#restIfIdle();
      const lost = new Set(rows.map((row) => Number(row['o_lost'])));
      for (const conversation of held) {
        const { id, key, writes } = conversation;
        if (!lost.has(key)) continue;
        this.#held.delete(conversation);
        writes.lose(
          new StoreError('FENCED', `conversation ${id} was taken over or deleted by another process; open it again`),
        );
      }
    } catch (error) {
      // Other stores may take over meanwhile; the next append then rejects `FENCED`.
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }
}

function isOwned(row: Row | undefined): boolean {
  return row?.['o_until'] !== null && row?.['o_until'] !== undefined;
}

function refuse(id: string, row: Row): void {
  const outcome = row['o_outcome'];
  if (outcome === 'NOT_FOUND') throw notInStore(id);
  if (outcome === 'EXISTS') throw existsAlready(id);
  if (outcome === 'OWNED') throw owned(id, row);
}

function owned(id: string, row: Row): StoreError {
  const [owner, until] = [String(row['o_owner']), Math.round(Number(row['o_until']))];
  return ownedBy(id, { owner, epoch: Number(row['o_epoch']), until });
}
