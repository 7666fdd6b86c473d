import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { isStoreError } from '@conv/core/store';
import { Random } from '@conv/testing-harness';

import type { Breakage } from '../broken/breakage.ts';
import type { Report } from '../report.ts';
import type { WriterPlan } from '../writer-plan.ts';
import { checkStored, type ToldWriters } from './check-stored.ts';
import { ChildProcess } from './child-process.ts';
import { Findings } from './findings.ts';
import { openInspectedStore } from './open-inspected-store.ts';
import type { Place } from './places/place.ts';

/** The number of times that the owner is stopped. */
const STOPS = 5;

/**
 * Maximum milliseconds for which the owner is stopped. With the lock of a database it keeps all others out until it wakes up. It
 * wakes up as soon as it was taken over, and sometimes before.
 */
const LONGEST = 10_000;

/** Milliseconds within which a process becomes the owner and stores, even on a busy machine. */
const TIMEOUT = 30_000;

/** Options of a duel. */
export interface DuelOptions {
  readonly seed: number;
  readonly place: Place;
  readonly folder: string;
  readonly breakage: Breakage | null;
  /** Logs events and reports. */
  readonly log: (line: string) => void;
}

/** Result of a duel. */
export interface DuelResult {
  /** Commits that were acknowledged. */
  readonly acknowledged: number;
  /** The number of times that either process became the owner. */
  readonly takeovers: number;
  /** The number of times that an owner was fenced. */
  readonly fenced: number;
  readonly findings: Findings;
}

type WriterProcess = ChildProcess<WriterPlan>;

/**
 * Two processes that compete for the same conversation. Its owner is stopped for longer than the other's leaseTimeout, loses it, goes
 * on when it is woken, and takes it back.
 */
export class Duel {
  readonly #options: DuelOptions;
  readonly #random: Random;
  readonly #findings = new Findings();
  readonly #told: ToldWriters = { stored: [], refused: [] };
  readonly #conversationId = randomUUID();
  #takeovers = 0;
  #fenced = 0;

  constructor(options: DuelOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    mkdirSync(options.folder, { recursive: true });
  }

  async play(): Promise<DuelResult> {
    const writers = [this.#begin(1), this.#begin(2)] as const;
    for (let stop = 0; stop < STOPS; stop++) await this.#stopOwner(writers);
    for (const writer of writers) writer.strike(this.#random.chance(0.3) ? 'SIGKILL' : 'SIGTERM');
    for (const writer of writers) await this.#finish(writer);
    await this.#look();
    const acknowledged = new Set(this.#told.stored.map(({ id }) => id)).size;
    return { acknowledged, takeovers: this.#takeovers, fenced: this.#fenced, findings: this.#findings };
  }

  #begin(writer: number): WriterProcess {
    const { place, breakage, log } = this.#options;
    const { address, leaseTimeout } = place;
    const seed = this.#random.seed();
    const plan = { writer, seed, address, leaseTimeout, breakage, conversationId: this.#conversationId, strike: null };
    return new ChildProcess('writer', plan, (line) => {
      log(`writer ${writer} ${JSON.stringify(line)}`);
      this.#take(writer, line);
    });
  }

  #take(writer: number, line: Report): void {
    if (line.kind === 'stored') this.#told.stored.push(line);
    else if (line.kind === 'refused') this.#told.refused.push(line.id);
    else if (line.kind === 'opened') this.#takeovers++;
    else if (line.kind === 'fenced') this.#fenced++;
    if (line.kind === 'opened') this.#options.place.opened();
    if (line.kind === 'violation') this.#findings.add(line.counter, `writer ${writer}`, line.detail);
  }

  /** Stops the process that stores next, waits until the other has taken over and stored, and wakes it. */
  async #stopOwner([first, second]: readonly [WriterProcess, WriterProcess]): Promise<void> {
    const owner = await Promise.race([
      first.next('stored').then(() => first),
      second.next('stored').then(() => second),
      sleep(TIMEOUT, undefined, { ref: false }),
    ]);
    if (!owner) return this.#findings.add('unopenable', this.#conversationId, `nobody stores for ${TIMEOUT} ms`);
    const other = owner === first ? second : first;
    await sleep(this.#random.between(0, 20));
    owner.strike('SIGSTOP');
    this.#options.log(`writer ${owner.plan.writer} is stopped`);
    const takenOver = other.next('opened').then(() => other.next(this.#random.chance(0.7) ? 'stored' : 'opened'));
    this.#options.place.stall();
    const longest = this.#random.chance(0.25) ? this.#random.between(100, 1000) : LONGEST;
    await Promise.race([takenOver, sleep(longest, undefined, { ref: false })]);
    owner.wake();
  }

  async #finish(writer: WriterProcess): Promise<void> {
    const end = await writer.ended;
    this.#options.log(`writer ${writer.plan.writer}: ${end}, ${writer.errors}`);
    if (end === 'hung') this.#findings.add('unopenable', `writer ${writer.plan.writer}`, 'does not end');
    if (end === 'crashed') this.#findings.add('unopenable', `writer ${writer.plan.writer}`, writer.errors);
  }

  async #look(): Promise<void> {
    const { store, close } = await openInspectedStore(this.#options.place);
    try {
      const reader = await store.read(this.#conversationId);
      if (!reader) throw new Error('it is not there');
      const commits = await Array.fromAsync(reader.commits());
      checkStored(commits, this.#told, this.#findings);
      await reader.close();
    } catch (error) {
      const code = isStoreError(error) ? error.code : '';
      this.#findings.add('unopenable', this.#conversationId, `${code} ${String(error)}`);
    } finally {
      await close();
    }
  }
}
