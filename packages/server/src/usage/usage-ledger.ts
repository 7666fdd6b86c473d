import { createHash } from 'node:crypto';
import { Backoff, systemPlatform, type Platform } from '@conv/core/platform';
import { checkRegistry, isRegistryError, type Registry, type RegistryEntry } from '@conv/store-kit/registry';

import { spent, toDayUsage, toRecord, UNUSED, type DayUsage } from './day-usage.ts';
import { dayOf, dayBefore } from './utc-day.ts';

/** The kind of these records in a registry. Their names are the principal, a slash and the day. */
const KIND = 'usage';

/** Milliseconds for which a registry that does not answer is asked again. */
const PATIENCE = 5000;

const DELAYS = { first: 5, most: 500 };

export interface UsageLedgerDeps {
  readonly registry: Registry;
  readonly platform: Platform;
  /** Receives the error of removing old records. */
  readonly report: (error: unknown) => void;
}

/** A change of one record. */
interface Change {
  readonly apply: (usage: DayUsage) => DayUsage;
  readonly resolve: (usage: DayUsage) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The use of principals on each day, in a registry that all servers of a fleet share. A change is compare-and-set of one record, made again
 * when another server was first. Changes that come while a record is being written are written together, so that many runs of one
 * principal make no crowd. Invariant: a change is a pure function that does nothing the second time, because after a lost answer it is unknown
 * if the record was stored.
 */
export class UsageLedger {
  readonly #deps: UsageLedgerDeps;
  readonly #waiting = new Map<string, Change[]>();
  readonly #working = new Set<Promise<void>>();
  /** The day on which this process removed old records. */
  #tidied: string | undefined;

  constructor(deps: UsageLedgerDeps) {
    this.#deps = deps;
  }

  /** Resolves with the use of a principal on a day. Rejects `RegistryError`. */
  async read(principal: string, day: string): Promise<DayUsage> {
    const name = nameOf(principal, day);
    const entry = await this.#deps.registry.get(KIND, name);
    return usageIn(entry, name);
  }

  /**
   * Changes the use of a principal on a day. Resolves with the changed use when it is durable. Rejects as `apply` throws, and
   * `RegistryError` if the registry does not answer for some seconds.
   */
  change(principal: string, day: string, apply: Change['apply']): Promise<DayUsage> {
    const name = nameOf(principal, day);
    const { promise, ...settle } = Promise.withResolvers<DayUsage>();
    const change: Change = { apply, ...settle };
    const waiting = this.#waiting.get(name);
    if (waiting) waiting.push(change);
    else this.#start(name, change);
    return promise;
  }

  /** Resolves when every change was written or has failed. */
  async settled(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  #start(name: string, first: Change): void {
    const waiting = [first];
    this.#waiting.set(name, waiting);
    const work = this.#work(name, waiting).finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  /** Writes the changes of a record until none waits. Never rejects. */
  async #work(name: string, waiting: Change[]): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      try {
        await this.#write(name, batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(name);
  }

  async #write(name: string, batch: readonly Change[]): Promise<void> {
    const { platform } = this.#deps;
    const until = platform.monotonic() + PATIENCE;
    const delays = new Backoff(platform, DELAYS);
    for (;;) {
      try {
        return await this.#tryWrite(name, batch);
      } catch (error) {
        const isLost = isRegistryError(error, 'UNAVAILABLE') && platform.monotonic() < until;
        // another server was first: its change was made, so this ends
        if (!isLost && !isRegistryError(error, 'CONFLICT')) throw error;
        await delays.wait();
      }
    }
  }

  async #tryWrite(name: string, batch: readonly Change[]): Promise<void> {
    const { registry } = this.#deps;
    const entry = await registry.get(KIND, name);
    const before = usageIn(entry, name);
    let usage = before;
    const ends = batch.map(({ apply, resolve, reject }) => {
      try {
        usage = apply(usage);
        return () => resolve(usage);
      } catch (error) {
        return () => reject(error);
      }
    });
    if (usage !== before) await registry.put(KIND, name, toRecord(usage), { expected: entry?.version ?? null });
    // fence: a refusal, too, is told only when the record that it was made from is known to be the newest
    for (const end of ends) end();
    if (!entry && usage !== before) void this.#tidy().catch(this.#deps.report);
  }

  /** Removes the records of all principals that are older than yesterday, once a day. */
  async #tidy(): Promise<void> {
    const { registry, platform } = this.#deps;
    const today = dayOf(platform.now());
    if (this.#tidied === today) return;
    this.#tidied = today;
    const oldest = dayBefore(today);
    for (const name of (await registry.marks(KIND)).keys()) {
      if (name.slice(name.lastIndexOf('/') + 1) >= oldest) continue;
      const entry = await registry.get(KIND, name);
      // another server may be tidying, too
      await (entry && registry.delete(KIND, name, { expected: entry.version }))?.catch((error: unknown) => {
        if (!isRegistryError(error, 'CONFLICT')) throw error;
      });
    }
  }
}

/**
 * Resolves with the runs and the US dollars that a principal has used today, UTC, those of calls in progress included. Rejects `RegistryError`.
 */
export async function usedToday(
  registry: Registry,
  principal: string,
  platform: Pick<Platform, 'now'> = systemPlatform,
): Promise<{ readonly runs: number; readonly cost: number }> {
  checkRegistry('usedToday', registry);
  const name = nameOf(principal, dayOf(platform.now()));
  const usage = usageIn(await registry.get(KIND, name), name);
  return { runs: usage.runs, cost: spent(usage) };
}

/** Bytes of a name that leave room for the day. */
const MOST_BYTES = 64;

/** Returns the name of a record. A long name of a principal is replaced by its digest. */
function nameOf(principal: string, day: string): string {
  const isLong = Buffer.byteLength(principal) > MOST_BYTES || principal.includes('\0');
  return `${isLong ? `sha256:${createHash('sha256').update(principal).digest('base64url')}` : principal}/${day}`;
}

function usageIn(entry: RegistryEntry | undefined, name: string): DayUsage {
  return entry ? toDayUsage(entry.value, `${KIND}/${name}`) : UNUSED;
}
