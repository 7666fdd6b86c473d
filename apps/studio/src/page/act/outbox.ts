import { isConversationError } from '@conv/core';
import type { RemoteConversation } from '@conv/remote';
import { type Api, isSilence } from '../data/api.ts';
import { explain, statusIn } from '../data/explain.ts';
import { Listeners } from '../data/listeners.ts';
import { beginRun } from './begin-run.ts';
import { type Draft, messageContent } from './message-content.ts';

/** A message that is not in the log yet. */
export interface Outgoing {
  /** The id that its event will have. */
  readonly id: string;
  readonly draft: Draft;
  readonly run: boolean;
  /** The reason why sending failed; the message can then be sent again without a double. */
  readonly failed: string | undefined;
  /** True if it failed because no server answered, so that it can be sent again when the server is back. */
  readonly waits: boolean;
}

/**
 * Messages on their way to one conversation. A message leaves when the server has made it durable, and never before an earlier message
 * that waits for the server.
 */
export class Outbox {
  readonly subscribe: Listeners['subscribe'];
  readonly #listeners = new Listeners();
  readonly #api: Api;
  readonly #sendsAgain: boolean;
  #all: readonly Outgoing[] = [];
  /** Settles when the messages before have left or failed. */
  #turn: Promise<unknown> = Promise.resolve();

  /** `sendsAgain`: true if the server knows the ids of messages, and takes none twice. */
  constructor(api: Api, sendsAgain: boolean) {
    this.#api = api;
    this.#sendsAgain = sendsAgain;
    this.subscribe = this.#listeners.subscribe;
  }

  readonly all = (): readonly Outgoing[] => this.#all;

  /** Sends a message after the waiting ones, and lets the agent run if asked to. A message that fails stays here, with its draft. */
  async send(conversation: RemoteConversation, draft: Draft, run: boolean): Promise<void> {
    const outgoing: Outgoing = { id: crypto.randomUUID(), draft, run, failed: undefined, waits: false };
    this.#become([...this.#all, outgoing]);
    await this.#leave(conversation, outgoing.id);
  }

  /** Sends a failed message and the waiting ones again. Its id stays, so the server takes it once. */
  async again(conversation: RemoteConversation, id: string): Promise<void> {
    this.#change(id, { failed: undefined });
    await this.#leave(conversation, id);
  }

  /** Sends the messages again that no server answered, in the order in which they were written. */
  async whenBack(conversation: RemoteConversation): Promise<void> {
    await this.#leave(conversation);
  }

  /** Removes a failed message; returns its draft. */
  discard(id: string): Draft | undefined {
    const found = this.#all.find((each) => each.id === id);
    this.#become(this.#all.filter((each) => each.id !== id));
    return found?.draft;
  }

  /**
   * Sends the waiting messages and this one when earlier sends have settled. The first message that no server answers keeps the others here.
   * Rejects with the error of the first refused run, when all have been tried.
   */
  #leave(conversation: RemoteConversation, id?: string): Promise<void> {
    const left = this.#turn.then(async () => {
      const refused: unknown[] = [];
      let kept: Outgoing | undefined;
      for (const outgoing of this.#all.filter((each) => each.waits || each.id === id)) {
        // a person may have taken it back meanwhile
        if (!this.#all.some((each) => each.id === outgoing.id)) continue;
        if (kept) this.#change(outgoing.id, { failed: kept.failed, waits: true });
        else kept = await this.#try(conversation, outgoing, (error) => refused.push(error));
      }
      if (refused.length > 0) throw refused[0];
    });
    this.#turn = left.catch(() => undefined);
    return left;
  }

  /** Sends a message. Resolves with it if it waits for the server now. `refused` gets the error of a run. */
  async #try(
    conversation: RemoteConversation,
    { id, draft, run }: Outgoing,
    refused: (error: unknown) => void,
  ): Promise<Outgoing | undefined> {
    this.#change(id, { failed: undefined, waits: false });
    try {
      const content = await messageContent(this.#api, conversation.state.workspace.workingDir, draft);
      await conversation.sendMessage({ role: 'user', content }, { id });
    } catch (error) {
      // a view that is left closes its conversation, and the message may be in the log
      const isUnanswered = isConversationError(error, 'CLOSED') || isSilence(statusIn(error) ?? -1);
      const waits = this.#sendsAgain && isUnanswered;
      this.#change(id, { failed: explain(error), waits });
      return this.#all.find((each) => each.id === id && each.waits);
    }
    this.#become(this.#all.filter((each) => each.id !== id));
    if (run) await beginRun(conversation).catch(refused);
    return undefined;
  }

  #change(id: string, changed: Partial<Outgoing>): void {
    this.#become(this.#all.map((each) => (each.id === id ? { ...each, ...changed } : each)));
  }

  #become(all: readonly Outgoing[]): void {
    this.#all = all;
    this.#listeners.tell();
  }
}

const outboxes = new WeakMap<Api, Map<string, Outbox>>();

/** Returns the messages on their way to a conversation. They stay when its view is left. */
export function outboxOf(api: Api, conversationId: string, sendsAgain: boolean): Outbox {
  const all = outboxes.get(api) ?? new Map<string, Outbox>();
  outboxes.set(api, all);
  const outbox = all.get(conversationId) ?? new Outbox(api, sendsAgain);
  all.set(conversationId, outbox);
  return outbox;
}
