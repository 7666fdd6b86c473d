import type { Timer } from '@conv/core/platform';

import type { Database } from './database.ts';

/** Least milliseconds between two messages of a store: each message costs all servers a turn of one lock. */
const INTERVAL = 5;
/** Length at which a message is full; PostgreSQL takes less than 8000 bytes. */
const LONGEST = 7500;

/** Tells other processes which logs have grown. A message names the keys of all logs that grew since the last message. */
export class Announcer {
  readonly #database: Database;
  readonly #channel: string;
  readonly #sender: string;
  #keys = new Set<number>();
  #last = -Infinity;
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;

  constructor(database: Database, channel: string, sender: string) {
    this.#database = database;
    this.#channel = channel;
    this.#sender = sender;
  }

  announce(key: number): void {
    this.#keys.add(key);
    if (this.#timer || this.#sending) return;
    const wait = this.#last + INTERVAL - this.#database.platform.monotonic();
    if (wait <= 0) this.#sending = this.#send();
    else this.#timer = this.#database.platform.setTimer(wait, () => this.#due());
  }

  /** Sends a message without keys, which proves to its receivers that messages come through. */
  async probe(): Promise<void> {
    await this.#notify('');
  }

  /** Sends the remaining keys. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#sending;
    if (this.#keys.size > 0) await this.#send();
  }

  #due(): void {
    this.#timer = undefined;
    this.#sending = this.#send();
  }

  async #send(): Promise<void> {
    const keys = this.#keys;
    this.#keys = new Set();
    this.#last = this.#database.platform.monotonic();
    for (const text of texts(keys)) await this.#notify(text);
    this.#sending = undefined;
    const [next] = this.#keys;
    if (next !== undefined) this.announce(next);
  }

  async #notify(text: string): Promise<void> {
    try {
      // Do not wait for the disk, because no promise rests on a message.
      await this.#database.attempt("SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)", [
        this.#channel,
        `${this.#sender} ${text}`,
      ]);
    } catch {
      // Ignore the failure: watchers also look for changes at intervals.
    }
  }
}

function texts(keys: ReadonlySet<number>): readonly string[] {
  const all: string[] = [];
  let text = '';
  for (const key of keys) {
    if (text.length > LONGEST) {
      all.push(text);
      text = '';
    }
    text += `${key} `;
  }
  return [...all, text];
}
