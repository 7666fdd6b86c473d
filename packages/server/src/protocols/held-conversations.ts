import type { Conversation } from '@conv/core';
import { toEventIndex } from '@conv/core/store';
import type { Platform, Timer } from '@conv/core/platform';

import type { Sender } from './senders.ts';

/** Milliseconds for which a conversation without requests is kept open for the next one. */
const KEPT = 60_000;

/** The most conversations without requests that are kept open: a list of tasks opens each conversation of its page. */
const MOST_KEPT = 256;

/** Opens a conversation in the name of `sender`, whose rights are asked for as long as it is open. */
export type Opening = (sender: () => Sender) => Promise<Opened>;

/** An open conversation, and what its end takes back. */
export interface Opened {
  readonly conversation: Conversation;
  /** Resolves with false if the conversation is gone, or its sender may not know it any more. */
  readonly isThere: () => Promise<boolean>;
  /** True if it would be opened in another way now: this process has come to own it. */
  readonly isOutdated: () => boolean;
  readonly close: () => Promise<void>;
}

class Held {
  readonly key: string;
  readonly opening: Promise<Opened>;
  opened: Opened | undefined;
  /** The newest sender with this credential. */
  sender: Sender;
  /** The senders that wait for their answer. */
  readonly waiting = new Set<Sender>();
  idle: Timer | undefined;
  closing: Promise<void> | undefined;

  constructor(key: string, sender: Sender, open: Opening) {
    this.key = key;
    this.sender = sender;
    this.opening = open(() => this.sender).then((opened) => {
      this.opened = opened;
      return opened;
    });
  }
}

/**
 * The conversations that protocols have opened, one for each key and conversation. Requests with the same key share it, so that a run that one
 * of them began is that of the others too. It is closed a minute after the last answer, or when too many wait for their next request; a run at work
 * keeps it open, while the conversation is there.
 */
export class HeldConversations {
  readonly #platform: Platform;
  readonly #report: (error: unknown) => void;
  readonly #held = new Map<string, Held>();
  /** All conversations that are not closed yet, also after a request can find them no more. */
  readonly #open = new Set<Held>();
  /** The conversations without requests, the longest kept first. */
  readonly #kept = new Set<Held>();

  constructor(platform: Platform, report: (error: unknown) => void) {
    this.#platform = platform;
    this.#report = report;
  }

  /** Resolves with the conversation, which stays open until the sender has its answer. Rejects with what `open` rejects with. */
  async get(id: string, sender: Sender, open: Opening): Promise<Conversation> {
    const key = keyOf(id, sender);
    const held = this.#current(key) ?? this.#hold(key, sender, open);
    held.sender = sender;
    sender.opened.add(id);
    if (!held.waiting.has(sender)) {
      held.waiting.add(sender);
      held.idle?.cancel();
      this.#kept.delete(held);
      const answered = (): void => this.#release(held, sender);
      if (sender.answered.aborted) answered();
      else sender.answered.addEventListener('abort', answered, { once: true });
    }
    return (await held.opening).conversation;
  }

  /**
   * Returns a function for a conversation that a look from now on does not find: it ends what is open of it now, because another conversation may get
   * its id. A conversation that is made meanwhile stays. With `reason` the answers to other requests are cut off before, because they would end as if there
   * were no more to tell.
   */
  missing(id: string, sender: Sender): (reason?: Error) => void {
    const held = this.#held.get(keyOf(id, sender));
    if (!held?.opened) return () => {};
    return (reason) => {
      if (!this.#isHeld(held)) return;
      for (const other of held.waiting) if (reason && other !== sender) other.cutOff(reason);
      void this.#close(held);
    };
  }

  /** Lets the next request open a conversation anew that has ended here. Requests that use it go on, until they have their answers. */
  ended(id: string, sender: Sender): void {
    const held = this.#held.get(keyOf(id, sender));
    if (held) this.#letGo(held);
  }

  /** Closes all. Resolves when all are closed, also the conversations that were let go before. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((held) => this.#close(held)));
  }

  /** Returns the conversation that is open, unless it would be opened in another way now. */
  #current(key: string): Held | undefined {
    const held = this.#held.get(key);
    if (!held?.opened?.isOutdated()) return held;
    this.#letGo(held);
    return undefined;
  }

  /** Lets the next request open a conversation anew. This one is closed when the requests that use it have their answers. */
  #letGo(held: Held): void {
    this.#forget(held);
    if (held.waiting.size === 0) void this.#close(held);
  }

  #hold(key: string, first: Sender, open: Opening): Held {
    const held = new Held(key, first, open);
    this.#held.set(key, held);
    this.#open.add(held);
    held.opening.catch(() => void this.#close(held));
    return held;
  }

  #release(held: Held, sender: Sender): void {
    held.waiting.delete(sender);
    if (held.waiting.size > 0) return;
    if (!this.#isHeld(held)) return void this.#close(held);
    this.#keep(held);
    const [oldest] = this.#kept;
    if (!oldest || this.#kept.size <= MOST_KEPT) return;
    // at once, because the answer of a list releases many
    this.#kept.delete(oldest);
    void this.#rest(oldest);
  }

  #keep(held: Held): void {
    held.idle?.cancel();
    held.idle = this.#platform.setTimer(KEPT, () => void this.#rest(held), { background: true });
    this.#kept.delete(held);
    this.#kept.add(held);
  }

  async #rest(held: Held): Promise<void> {
    const opened = await held.opening.catch(() => undefined);
    const isAtWork = opened?.conversation.state.executionStatus === 'running' && (await opened.isThere());
    // fence: another request may have come meanwhile
    if (held.waiting.size > 0 || !this.#isHeld(held)) return;
    if (isAtWork) this.#keep(held);
    else await this.#close(held);
  }

  #isHeld(held: Held): boolean {
    return this.#held.get(held.key) === held;
  }

  #forget(held: Held): void {
    held.idle?.cancel();
    this.#kept.delete(held);
    if (this.#isHeld(held)) this.#held.delete(held.key);
  }

  #close(held: Held): Promise<void> {
    this.#forget(held);
    held.closing ??= held.opening
      .then(
        ({ close }) => close().catch(this.#report),
        () => {},
      )
      .finally(() => this.#open.delete(held));
    return held.closing;
  }
}

function keyOf(id: string, { credential }: Sender): string {
  return `${credential} ${id.toLowerCase()}`;
}

/** Milliseconds for which a conversation may be behind the log; then it is shown as it is. */
const BEHIND = 5000;

/** Resolves when a conversation has this many events, or has waited for them for too long. */
export async function upTo(conversation: Conversation, length: number, platform: Platform): Promise<void> {
  if (conversation.events.length >= length) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const subscription = conversation.subscribe({ onEvent: () => resolve() }, { from: toEventIndex(length - 1) });
  using _timer = platform.setTimer(BEHIND, resolve, { background: true });
  await promise;
  subscription.unsubscribe();
}
