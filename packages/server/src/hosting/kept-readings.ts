import type { Platform, Timer } from '@conv/core/platform';
import { Turns } from '@conv/core/platform';

import { refreshed, type StoredConversation } from './stored-conversation.ts';

/** Milliseconds for which a reading stays in the cache after its last use. */
const IDLE = 60_000;

/** The maximum number of cached readings. */
const MOST = 32;

interface Entry {
  stored: StoredConversation;
  uses: number;
  timer: Timer | undefined;
  /** True if another reading replaced it, or the cache was closed; it is closed after its last use. */
  isDropped: boolean;
}

/**
 * A cache of readings of conversations that are not loaded here, so that successive requests about their past read the log once.
 * Before each use the end of the log is read again.
 */
export class KeptReadings {
  readonly #platform: Platform;
  /** The least recently used entry comes first. */
  readonly #entries = new Map<string, Entry>();
  readonly #turns = new Turns();
  #isClosed = false;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Resolves with the conversation as it is now; `open` reads it if the cache has no reading. The caller disposes of it. */
  read(id: string, open: () => Promise<StoredConversation | undefined>): Promise<StoredConversation | undefined> {
    return this.#turns.run(async () => {
      const known = this.#entries.get(id);
      const current = known && (await refreshed(known.stored).catch(() => undefined));
      if (known && current) {
        known.stored = current;
        return this.#use(id, known);
      }
      await this.forget(id);
      const stored = await open();
      return stored && this.#use(id, { stored, uses: 0, timer: undefined, isDropped: false });
    }, id);
  }

  /** Closes the reading of a conversation, at once or after its last use. */
  async forget(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    if (entry) await drop(entry);
  }

  /** Closes all readings; later ones are closed after their use. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#entries.keys()].map((id) => this.forget(id)));
  }

  #use(id: string, entry: Entry): StoredConversation {
    entry.timer?.cancel();
    entry.uses++;
    if (this.#isClosed) entry.isDropped = true;
    else {
      this.#entries.delete(id);
      this.#entries.set(id, entry);
    }
    for (const oldest of this.#entries.keys()) if (this.#entries.size > MOST) void this.forget(oldest);
    let isUsed = true;
    const release = async (): Promise<void> => {
      if (!isUsed) return;
      isUsed = false;
      if (--entry.uses > 0) return;
      if (entry.isDropped) await entry.stored[Symbol.asyncDispose]();
      else entry.timer = this.#platform.setTimer(IDLE, () => void this.forget(id), { background: true });
    };
    return { ...entry.stored, [Symbol.asyncDispose]: release };
  }
}

async function drop(entry: Entry): Promise<void> {
  entry.timer?.cancel();
  entry.isDropped = true;
  if (entry.uses === 0) await entry.stored[Symbol.asyncDispose]();
}
