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

/** Messages on their way to one conversation. Each leaves when the server has made it durable, and none before an earlier message that waits. */
export class Outbox {
  readonly subscribe: Listeners['subscribe'];
  readonly #listeners = new Listeners();
  readonly #api: Api;
  #all: readonly Outgoing[] = [];
  /** Settles when the messages before have left or failed. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(api: Api) {
    this.#api = api;
    this.subscribe = this.#listeners.subscribe;
  }

  readonly all = (): readonly Outgoing[] => this.#all;

  /** Sends a message, and lets the agent run if asked to. A failure stays here, with its draft. */
  async send(conversation: RemoteConversation, draft: Draft, run: boolean): Promise<void> {
    const outgoing: Outgoing = { id: crypto.randomUUID(), draft, run, failed: undefined, waits: false };
    this.#become([...this.#all, outgoing]);
    await this.#inTurn(() => this.#try(conversation, outgoing));
  }

  /** Sends a message again that failed. Its id stays, so the server takes it once. */
  async again(conversation: RemoteConversation, id: string): Promise<void> {
    const found = this.#all.find((each) => each.id === id);
    if (!found) return;
    this.#become(this.#all.map((each) => (each === found ? { ...each, failed: undefined, waits: false } : each)));
    await this.#inTurn(() => this.#try(conversation, found, true));
  }

  /** Sends the messages again that no server answered, in the order in which they were written. Rejects with the error of the first refused run, when all have been tried. */
  async whenBack(conversation: RemoteConversation): Promise<void> {
    await this.#turn;
    const waiting = this.#all.filter(({ waits }) => waits);
    const tries = await Promise.allSettled(waiting.map(({ id }) => this.again(conversation, id)));
    const refused = tries.find(({ status }) => status === 'rejected');
    if (refused?.status === 'rejected') throw refused.reason;
  }

  /** Removes a failed message; returns its draft. */
  discard(id: string): Draft | undefined {
    const found = this.#all.find((each) => each.id === id);
    this.#become(this.#all.filter((each) => each.id !== id));
    return found?.draft;
  }

  /** Runs a task when those before have settled. Resolves and rejects as it does. */
  #inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(task);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #try(conversation: RemoteConversation, { id, draft, run }: Outgoing, isAgain = false): Promise<void> {
    const earlier = this.#all.find((each) => each.id === id || each.waits);
    if (earlier !== undefined && earlier.id !== id) return this.#fail(id, earlier);
    try {
      const content = await messageContent(this.#api, conversation.state.workspace.workingDir, draft);
      await conversation.sendMessage({ role: 'user', content }, { id });
    } catch (error) {
      return this.#fail(id, { failed: explain(error), waits: isSilence(statusIn(error) ?? -1) });
    }
    this.#become(this.#all.filter((each) => each.id !== id));
    const { executionStatus } = conversation.state;
    // a run under way answers the message by itself
    if (!run || executionStatus === 'running') return;
    // a message that the server had already rejects no calls, and a run would approve the calls that came since
    if (isAgain && executionStatus === 'waiting_for_confirmation') return;
    await conversation.run({ blocking: false });
  }

  #fail(id: string, { failed, waits }: Pick<Outgoing, 'failed' | 'waits'>): void {
    this.#become(this.#all.map((each) => (each.id === id ? { ...each, failed, waits } : each)));
  }

  #become(all: readonly Outgoing[]): void {
    this.#all = all;
    this.#listeners.tell();
  }
}
