import type { Conversation } from '@conv/core';
import { toEventIndex } from '@conv/core/store';
import type { Platform, Timer } from '@conv/core/platform';

import type { Sender } from './senders.ts';

/** Milliseconds for which a conversation without requests is kept open for the next one. */
const KEPT = 60_000;

/** Opens a conversation in the name of `sender`, whose rights are asked for as long as it is open. */
export type Opening = (sender: () => Sender) => Promise<Opened>;

/** An open conversation, and what its end takes back. */
export interface Opened {
  readonly conversation: Conversation;
  readonly close: () => Promise<void>;
}

class Held {
  readonly opening: Promise<Opened>;
  /** The newest sender with this credential. */
  sender: Sender;
  /** Requests that wait for their answer. */
  requests = 0;
  idle: Timer | undefined;

  constructor(sender: Sender, open: Opening) {
    this.sender = sender;
    this.opening = open(() => this.sender);
  }
}

/**
 * The conversations that protocols have opened, one for each key and conversation. Requests with the same key share it, so that a run that one
 * of them began is that of the others too. It is closed a minute after the last answer; a run at work keeps it open.
 */
export class HeldConversations {
  readonly #platform: Platform;
  readonly #report: (error: unknown) => void;
  readonly #held = new Map<string, Held>();

  constructor(platform: Platform, report: (error: unknown) => void) {
    this.#platform = platform;
    this.#report = report;
  }

  /** Resolves with the conversation, which stays open until the sender has its answer. Rejects with what `open` rejects with. */
  async get(id: string, sender: Sender, open: Opening): Promise<Conversation> {
    const key = `${sender.credential} ${id}`;
    const held = this.#held.get(key) ?? this.#open(key, sender, open);
    held.sender = sender;
    if (!sender.opened.has(id)) {
      sender.opened.add(id);
      held.requests++;
      held.idle?.cancel();
      const answered = (): void => this.#release(key, held);
      if (sender.answered.aborted) answered();
      else sender.answered.addEventListener('abort', answered, { once: true });
    }
    return (await held.opening).conversation;
  }

  /** Closes all. */
  async close(): Promise<void> {
    const all = [...this.#held.values()];
    this.#held.clear();
    for (const { idle } of all) idle?.cancel();
    await Promise.all(all.map(({ opening }) => this.#end(opening)));
  }

  #open(key: string, first: Sender, open: Opening): Held {
    const held = new Held(first, open);
    this.#held.set(key, held);
    held.opening.catch(() => this.#forget(key, held));
    return held;
  }

  #release(key: string, held: Held): void {
    if (--held.requests > 0 || this.#held.get(key) !== held) return;
    held.idle = this.#platform.setTimer(KEPT, () => void this.#rest(key, held), { background: true });
  }

  async #rest(key: string, held: Held): Promise<void> {
    const opened = await held.opening.catch(() => undefined);
    // fence: another request may have come meanwhile
    if (held.requests > 0 || this.#held.get(key) !== held) return;
    if (opened?.conversation.state.executionStatus === 'running') {
      held.idle = this.#platform.setTimer(KEPT, () => void this.#rest(key, held), { background: true });
      return;
    }
    this.#forget(key, held);
    await this.#end(held.opening);
  }

  #forget(key: string, held: Held): void {
    if (this.#held.get(key) === held) this.#held.delete(key);
  }

  async #end(opening: Promise<Opened>): Promise<void> {
    const opened = await opening.catch(() => undefined);
    await opened?.close().catch(this.#report);
  }
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
