import { randomUUID } from 'node:crypto';
import { initialFields } from '@conv/core';
import { StoreError, type OpenOptions } from '@conv/core/store';
import type { Database } from './database.ts';
import { DatabaseFailure } from './from-postgres-error.ts';
import type { Row } from './postgres-pool.ts';
import { describeProcess, hasEnded } from './process-identity.ts';
import { indexable, toColumns } from './summary.ts';

/** A statement that was given up may be carried out later than this by no network and no server. */
const VOID_FOR = 10 * 60_000;

/** A conversation that is held, by what the heartbeat has to know of it. */
export interface Held {
  readonly id: string;
  readonly key: number;
  readonly epoch: number;
  lose(reason: StoreError): void;
}

/**
 * What a store owns. One lease, renewed by one statement, serves all its conversations; the database's clock alone decides
 * whether it is over.
 */
export class Ownership {
  readonly #database: Database;
  readonly #lease: number;
  readonly #token: string = randomUUID();
  readonly #process: string = describeProcess();
  readonly #held = new Set<Held>();
  /** Claims that nobody uses, though the database may hold them for ours, and since when. */
  readonly #void = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #known = false;

  constructor(database: Database, lease: number) {
    this.#database = database;
    this.#lease = lease;
  }

  /** Claims a conversation. Resolves with its row and the claim. */
  async acquire(id: string, { create = 'ifMissing', owner }: OpenOptions): Promise<{ row: Row; claim: string }> {
    const claim = randomUUID();
    this.#known = true;
    const call = async (freed: readonly string[]): Promise<Row> => this.#acquire(id, create, claim, owner, freed);
    try {
      let row = await call([]);
      // An owner on this machine that has ended does not come back, however long its lease is.
      if (row['o_outcome'] === 'OWNED' && hasEnded(String(row['o_process'])))
        row = await call([String(row['o_claim'])]);
      refuse(id, row);
      return { row, claim };
    } catch (error) {
      if (error instanceof DatabaseFailure && error.unknown) this.#avoid(claim);
      throw error instanceof DatabaseFailure ? error.error : error;
    }
  }

  /** From now on the lease covers it and it is told when it is lost. */
  hold(held: Held): void {
    this.#held.add(held);
    this.#keepBeating();
  }

  /** It is not to be told any more. */
  letGo(held: Held): void {
    this.#held.delete(held);
    this.#restIfIdle();
  }

  /** Gives a conversation up. */
  async release(key: number, claim: string): Promise<void> {
    try {
      await this.#database.run('SELECT @.release($1, $2)', [key, claim]);
    } catch {
      // Nothing is written under the claim any more; nobody has to wait for its lease to end.
      this.#avoid(claim);
    }
  }

  /** Removes a conversation that nobody writes. Resolves with the key it had, if it was there. */
  async remove(id: string): Promise<number | undefined> {
    const call = (freed: readonly string[]): Promise<readonly Row[]> =>
      this.#database.run('SELECT * FROM @.remove($1, $2)', [id, [...this.#void.keys(), ...freed]]);
    let [row] = await call([]);
    if (isOwned(row) && hasEnded(String(row?.['o_process']))) [row] = await call([String(row?.['o_claim'])]);
    if (row && isOwned(row)) throw owned(id, row);
    return row && Number(row['o_key']);
  }

  /** Gives up all that is left. */
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
      this.#lease,
      [...this.#void.keys(), ...freed],
      toColumns(initialFields),
    ];
    // With the same claim a second call finds what the first one did.
    const [row] = await this.#database.twice(() =>
      this.#database.attempt('SELECT * FROM @.acquire($1, $2, $3, $4, $5, $6, $7, $8, $9)', values),
    );
    return row as Row;
  }

  /** Has the heartbeat free what the database may hold under a claim. */
  #avoid(claim: string): void {
    this.#void.set(claim, performance.now());
    this.#keepBeating();
  }

  #restIfIdle(): void {
    if (this.#held.size === 0 && this.#void.size === 0) this.#rest();
  }

  #keepBeating(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => this.#beat(), this.#lease / 3);
    // Nothing is lost when a program ends that has nothing else to do.
    this.#timer.unref();
  }

  #rest(): void {
    clearInterval(this.#timer);
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
        this.#lease,
        held.map(({ key }) => key),
        held.map(({ epoch }) => epoch),
        freed,
      ]);
      for (const [claim, since] of this.#void) if (performance.now() - since > VOID_FOR) this.#void.delete(claim);
      this.#restIfIdle();
      const lost = new Set(rows.map((row) => Number(row['o_lost'])));
      for (const one of held) {
        if (!lost.has(one.key)) continue;
        this.#held.delete(one);
        one.lose(new StoreError('FENCED', `conversation ${one.id} was taken over by another owner, or deleted`));
      }
    } catch (error) {
      // Others may take over meanwhile; whoever appends finds out.
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }
}

function isOwned(row: Row | undefined): boolean {
  return row?.['o_until'] !== null && row?.['o_until'] !== undefined;
}

function refuse(id: string, row: Row): void {
  const outcome = row['o_outcome'];
  if (outcome === 'NOT_FOUND' || outcome === 'EXISTS') throw new StoreError(outcome, `conversation ${id}`);
  if (outcome === 'OWNED') throw owned(id, row);
}

function owned(id: string, row: Row): StoreError {
  const owner = String(row['o_owner']);
  const until = Math.round(Number(row['o_until']));
  const text = `conversation ${id} is owned by ${owner} until ${new Date(until).toISOString()} unless renewed`;
  return new StoreError('OWNED', text, { owner: { owner, epoch: Number(row['o_epoch']), until } });
}
