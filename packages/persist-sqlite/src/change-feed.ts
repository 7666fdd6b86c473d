import { Subscribers } from '@conv/store-kit';
import { timers, type Platform, type Timer } from '@conv/core/platform';
import type { DatabaseReads } from './database-reads.ts';

type Listener = (key: number) => void;

const registry: unique symbol = Symbol.for('conv.persist-sqlite.feeds');

/** Tells watchers that a log has grown: at once for writers of this process, by looking at the database for others. */
export class ChangeFeed {
  readonly #file: string;
  readonly #platform: Platform;
  readonly #reads: DatabaseReads;
  readonly #interval: number;
  readonly #watchers = new Subscribers<number>(
    () => this.#start(),
    () => this.#stop(),
  );
  readonly #listener: Listener = (key) => this.#watchers.tell(key);
  /** Ends of the logs at the last look. */
  #ends: ReadonlyMap<number, number> = new Map();
  #version = -1;
  #timer: Timer | undefined;
  #looking = false;

  constructor(file: string, reads: DatabaseReads, interval: number, platform: Platform) {
    this.#platform = platform;
    this.#file = file;
    this.#reads = reads;
    this.#interval = interval;
  }

  /** Calls back after changes of a conversation, until the returned function is called. */
  follow(key: number, changed: () => void): () => void {
    return this.#watchers.add(key, changed);
  }

  /** Tells all stores of this process that a conversation has grown. */
  announce(key: number): void {
    for (const listener of feeds().get(this.#file) ?? []) listener(key);
  }

  /** Makes every watcher look again once the database answers, because a watcher could not read. */
  report(): void {
    this.#version = -1;
    this.#ends = new Map();
  }

  #start(): void {
    const listeners = feeds().get(this.#file) ?? new Set();
    feeds().set(this.#file, listeners.add(this.#listener));
    this.#version = -1;
    this.#timer = timers.every(this.#platform, this.#interval, () => void this.#look());
  }

  #stop(): void {
    this.#timer?.cancel();
    const listeners = feeds().get(this.#file);
    listeners?.delete(this.#listener);
    if (listeners?.size === 0) feeds().delete(this.#file);
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const { version, ends } = await this.#reads.call('changes', this.#version, this.#watchers.keys());
      this.#version = version;
      if (!ends) return;
      const before = this.#ends;
      this.#ends = ends;
      for (const key of this.#watchers.keys()) {
        // A conversation that this feed did not look at before may have changed since its watcher looked.
        if (!before.has(key) || before.get(key) !== ends.get(key)) this.#watchers.tell(key);
      }
    } catch {
      // Wake every watcher: its own read then rejects with the reason.
      for (const key of this.#watchers.keys()) this.#watchers.tell(key);
    } finally {
      this.#looking = false;
    }
  }
}

/** Returns the feeds of all copies of this package in the process, by file. */
function feeds(): Map<string, Set<Listener>> {
  const holder = globalThis as { [registry]?: Map<string, Set<Listener>> };
  return (holder[registry] ??= new Map());
}
