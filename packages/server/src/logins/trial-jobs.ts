import type { JsonObject } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { type EncryptedRecords, isRegistryError } from '@conv/store-kit/registry';

import type { McpTrialRequest, McpTrialResult } from './trials-options.ts';

/** Milliseconds for which a job is known: as long as its login. */
const LIFETIME = 15 * 60_000;

/** A trial that waits for a login, or has ended. */
export interface TrialJob {
  readonly request: McpTrialRequest;
  /** The principal that may ask for it; null for the keys of the configuration. */
  readonly principal: string | null;
  /** The address to log in at; null if no login was needed. */
  readonly address: string | null;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  readonly result?: McpTrialResult;
}

/** The jobs of all servers on a store. */
export class TrialJobs {
  readonly #records: EncryptedRecords;
  readonly #platform: Pick<Platform, 'id' | 'now'>;

  constructor(records: EncryptedRecords, platform: Pick<Platform, 'id' | 'now'>) {
    this.#records = records;
    this.#platform = platform;
  }

  /** Stores a new job, and removes jobs that are too old. Resolves with its id. */
  async add(job: Omit<TrialJob, 'madeAt'>): Promise<string> {
    await this.#sweep();
    const id = this.#platform.id().replaceAll('-', '');
    await this.#records.replace(id, toValue({ ...job, madeAt: this.#platform.now() }), null);
    return id;
  }

  /** Resolves with a job; `undefined` if a principal has none of this id. */
  async get(id: string, principal: string | null): Promise<TrialJob | undefined> {
    const job = await this.#read(id);
    return job?.principal === principal ? job : undefined;
  }

  /** Stores the result of a job, unless it has one. Resolves with the result that is stored. */
  async end(id: string, result: McpTrialResult): Promise<McpTrialResult> {
    for (;;) {
      const held = await this.#records.get(id);
      const job = held && toJob(held.value);
      if (!held || !job || job.result) return job?.result ?? result;
      if (await this.#records.replace(id, toValue({ ...job, result }), held.version)) return result;
    }
  }

  async #read(id: string): Promise<TrialJob | undefined> {
    // an id of a client, which may be no name of a record
    if (!/^[\da-f]{32}$/.test(id)) return undefined;
    const held = await this.#records.get(id);
    const job = held && toJob(held.value);
    return job && this.#isOld(job) ? undefined : job;
  }

  async #sweep(): Promise<void> {
    for (const id of await this.#records.names()) {
      // a record that is damaged at rest must not keep others from beginning a login
      const held = await this.#records.get(id).catch(ifDamaged);
      const job = held && toJob(held.value);
      if (held && (!job || this.#isOld(job))) await this.#records.replace(id, undefined, held.version);
    }
  }

  #isOld({ madeAt }: TrialJob): boolean {
    return this.#platform.now() - madeAt > LIFETIME;
  }
}

function ifDamaged(error: unknown): undefined {
  if (!isRegistryError(error, 'DAMAGED')) throw error;
}

function toValue(job: TrialJob): JsonObject {
  return JSON.parse(JSON.stringify({ job })) as JsonObject;
}

/** Returns the job in a record; `undefined` for a record that no key opens. */
function toJob({ job }: JsonObject): TrialJob | undefined {
  return job === undefined ? undefined : (job as unknown as TrialJob);
}
