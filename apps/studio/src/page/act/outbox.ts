import type { RemoteConversation } from '@conv/remote';
import { type Api, isSilence } from '../data/api.ts';
import { explain, statusIn } from '../data/explain.ts';
import { Listeners } from '../data/listeners.ts';
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

/** Messages on their way to one conversation. Each leaves when the server has made it durable. */
export class Outbox {
  readonly subscribe: Listeners['subscribe'];
  readonly #listeners = new Listeners();
  readonly #api: Api;
  #all: readonly Outgoing[] = [];

  constructor(api: Api) {
    this.#api = api;
    this.subscribe = this.#listeners.subscribe;
  }

  readonly all = (): readonly Outgoing[] => this.#all;

  /** Sends a message, and lets the agent run if asked to. A failure stays here, with its draft. */
  async send(conversation: RemoteConversation, draft: Draft, run: boolean): Promise<void> {
    const outgoing: Outgoing = { id: crypto.randomUUID(), draft, run, failed: undefined, waits: false };
    this.#become([...this.#all, outgoing]);
    await this.#try(conversation, outgoing);
  }

  /** Sends a message again that failed. Its id stays, so the server takes it once. */
  async again(conversation: RemoteConversation, id: string): Promise<void> {
    const found = this.#all.find((each) => each.id === id);
    if (!found) return;
    this.#become(this.#all.map((each) => (each === found ? { ...each, failed: undefined, waits: false } : each)));
    await this.#try(conversation, found);
  }

  /** Sends the messages again that no server answered, in the order in which they were written. */
  async whenBack(conversation: RemoteConversation): Promise<void> {
    for (const { id } of this.#all.filter(({ waits }) => waits)) await this.again(conversation, id);
  }

  /** Removes a failed message; returns its draft. */
  discard(id: string): Draft | undefined {
    const found = this.#all.find((each) => each.id === id);
    this.#become(this.#all.filter((each) => each.id !== id));
    return found?.draft;
  }

  async #try(conversation: RemoteConversation, { id, draft, run }: Outgoing): Promise<void> {
    try {
      const content = await messageContent(this.#api, conversation.state.workspace.workingDir, draft);
      await conversation.sendMessage({ role: 'user', content }, { id });
    } catch (error) {
      const failed = explain(error);
      const waits = isSilence(statusIn(error) ?? -1);
      this.#become(this.#all.map((each) => (each.id === id ? { ...each, failed, waits } : each)));
      return;
    }
    this.#become(this.#all.filter((each) => each.id !== id));
    // a run under way answers the message by itself
    if (run && conversation.state.executionStatus !== 'running') await conversation.run({ blocking: false });
  }

  #become(all: readonly Outgoing[]): void {
    this.#all = all;
    this.#listeners.tell();
  }
}
