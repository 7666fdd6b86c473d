import { Subscribers } from '@conv/store-kit';
import type { Platform, Timer } from '@conv/core/platform';
import { Announcer } from './announcer.ts';
import type { Database } from './database.ts';

/** Milliseconds between looks for missed changes while messages come through. */
const NET_INTERVAL = 2000;

/** Callbacks of a listener. */
export interface Listening {
  readonly platform: Platform;
  /** Receives a message. */
  readonly heard: (text: string) => void;
  /** Called when the listener begins to listen. Messages sent before are lost. */
  readonly began: () => void;
  /** Called when the connection broke. The listener makes a new one. */
  readonly ended: () => void;
}

/** Options of a {@link ChangeFeed}. */
export interface FeedOptions {
  /** Begins to listen on a connection of its own; `undefined` to listen nowhere. */
  readonly listen: ((channel: string, listening: Listening) => { close(): Promise<void> }) | undefined;
  /** Milliseconds between looks while no messages come through. */
  readonly pollInterval: number;
}

/**
 * Tells watchers that a log has grown. Appends of this store ring at once, and messages of other processes ring on arrival. A
 * look at the database at intervals finds changes without a message.
 *
 * Its three flags are independent, and every combination occurs: messages come and stop, and watchers report, at any time during a look.
 */
export class ChangeFeed {
  readonly #database: Database;
  readonly #options: FeedOptions;
  readonly #channel: string;
  readonly #sender: string;
  readonly #announcer: Announcer;
  readonly #watchers = new Subscribers<number>(
    () => this.#start(),
    () => this.#timer?.cancel(),
  );
  /** Ends of the logs at the last look. */
  #ends: ReadonlyMap<number, number> = new Map();
  #listener: { close(): Promise<void> } | undefined;
  /** True once a message has come through: a pooler may accept `LISTEN` and then pass nothing on. */
  #hears = false;
  #timer: Timer | undefined;
  /** True while a look is in progress: a second look could finish first and put older ends in place of newer ones. */
  #looking = false;
  /** True if a watcher could not read, so all must be rung when the database answers again. */
  #reported = false;

  constructor(database: Database, options: FeedOptions) {
    this.#database = database;
    this.#options = options;
    this.#sender = database.platform.id().slice(0, 8);
    this.#channel = `${database.schema}_changes`;
    this.#announcer = new Announcer(database, this.#channel, this.#sender);
  }

  /** True if messages of other processes come through. */
  get hears(): boolean {
    return this.#hears;
  }

  /** Calls back after changes of a conversation, until the returned function is called. */
  follow(key: number, changed: () => void): () => void {
    return this.#watchers.add(key, changed);
  }

  /** Tells the watchers of this store, and all other processes, that a conversation has grown. */
  announce(key: number): void {
    this.#watchers.tell(key);
    this.#announcer.announce(key);
  }

  /** Notes that a watcher could not read, and rings it when the database answers again. */
  report(): void {
    this.#reported = true;
    this.#schedule(this.#options.pollInterval);
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#announcer.close();
    await this.#listener?.close();
  }

  #start(): void {
    this.#ends = new Map();
    this.#listener ??= this.#options.listen?.(this.#channel, {
      platform: this.#database.platform,
      heard: (text) => this.#heard(text),
      began: () => void this.#announcer.probe(),
      ended: () => this.#deaf(),
    });
    this.#schedule(this.#interval);
  }

  get #interval(): number {
    return this.#hears ? Math.max(NET_INTERVAL, this.#options.pollInterval) : this.#options.pollInterval;
  }

  #schedule(wait: number): void {
    this.#timer?.cancel();
    this.#timer = this.#database.platform.setTimer(wait, () => void this.#look());
  }

  #heard(text: string): void {
    const [sender, ...keys] = text.trim().split(' ');
    // Messages before this one may be lost. The next look finds their changes, because it compares the ends in the database.
    this.#hears = true;
    if (sender !== this.#sender) for (const key of keys) this.#watchers.tell(Number(key));
  }

  #deaf(): void {
    this.#hears = false;
    if (this.#watchers.size > 0) this.#schedule(this.#options.pollInterval);
  }

  #ringAll(): void {
    for (const key of this.#watchers.keys()) this.#watchers.tell(key);
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const before = this.#ends;
      // a watcher may report, and a commit may be announced, during this await; both ring watchers once more than needed at the most
      this.#ends = await this.#readEnds();
      if (this.#reported) this.#ringAll();
      this.#reported = false;
      for (const key of this.#watchers.keys()) if (before.get(key) !== this.#ends.get(key)) this.#watchers.tell(key);
    } catch {
      // Ring all watchers after the next successful look.
      this.#reported = true;
    } finally {
      this.#looking = false;
      if (this.#watchers.size > 0) this.#schedule(this.#interval);
    }
  }

  async #readEnds(): Promise<ReadonlyMap<number, number>> {
    const keys = this.#watchers.keys();
    const rows = await this.#database.run('SELECT key, next_seq FROM @.heads WHERE key = ANY ($1::bigint[])', [keys]);
    const gone: [number, number][] = keys.map((key) => [key, -1]);
    return new Map([...gone, ...rows.map((row): [number, number] => [Number(row['key']), Number(row['next_seq'])])]);
  }
}
