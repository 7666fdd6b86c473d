import { imageContent } from '@conv/core/events';
import { openRemoteConversation, RemoteWorkspace, type RemoteConversation } from '@conv/remote';
import { turnItems, turns, type NumberedEvent, type TurnChange } from '@conv/turns';

import { KEY } from '../server/server-plan.ts';
import { TurnDisplay } from '../show/turn-display.ts';
import type { Client, Decided, Door, Said, Visit } from './door.ts';
import { Writer } from './rest.ts';

/** The session socket, whose frames are numbered, by the client of `@conv/remote` and `turns`. */
export const sessionDoor: Door = {
  name: 'session socket',
  shows: 'log',
  takesCursor: true,
  edits: true,
  leavesOut: [],
  open: async (visit) => {
    const requests = { backoff: { first: 5, most: 50 }, onRetry: () => {} };
    const workspace = new RemoteWorkspace({ host: visit.url, apiKey: KEY, workingDir: '.', requests });
    const conversation = await openRemoteConversation({ heartbeat: 500 }, { workspace, id: visit.id, create: 'never' });
    return new SessionClient(conversation, visit);
  },
};

class SessionClient implements Client {
  readonly #conversation: RemoteConversation;
  readonly #display: TurnDisplay;
  readonly #changes: AsyncIterableIterator<TurnChange>;
  readonly #closed = new AbortController();
  readonly #writer: Writer;
  readonly #following: Promise<void>;
  #cursor: number;
  #status: string | undefined;

  constructor(conversation: RemoteConversation, { url, id, known = [] }: Visit) {
    this.#conversation = conversation;
    this.#writer = new Writer(() => url, id);
    this.#display = new TurnDisplay(turnItems(known));
    this.#cursor = known.at(-1)?.index ?? -1;
    this.#changes = turns(conversation, { after: this.#cursor, signal: this.#closed.signal });
    this.#following = this.#follow().catch((error: unknown) => {
      if (!this.#closed.signal.aborted) throw error;
    });
  }

  async known(): Promise<readonly NumberedEvent[]> {
    const events = await this.#conversation.events.slice(0, this.#cursor + 1);
    return events.map((event, index) => ({ event, index }));
  }

  async send({ text, image }: Said): Promise<void> {
    await this.#conversation.sendMessage([text, ...(image === undefined ? [] : [imageContent(image)])]);
    await this.#writer.run();
  }

  async decide(decisions: readonly Decided[]): Promise<void> {
    const approved = decisions.filter((decision) => decision.approved);
    const edits = Object.fromEntries(approved.flatMap(({ action, input }) => (input ? [[action, input]] : [])));
    if (approved.length > 0)
      await this.#conversation.approve(
        approved.map(({ action }) => action),
        { edits },
      );
    for (const { action, reason } of decisions.filter((decision) => !decision.approved))
      await this.#conversation.reject([action], reason);
    await this.#writer.run();
  }

  async stop(): Promise<void> {
    await this.#conversation.interrupt();
  }

  isAtRest(length: number): boolean {
    return this.#cursor >= length - 1 && this.#status !== 'running';
  }

  shown(): readonly string[] {
    return this.#display.lines();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#conversation.close();
    await this.#following;
  }

  async #follow(): Promise<void> {
    for await (const change of this.#changes) {
      this.#display.take(change);
      this.#cursor = change.cursor;
      if (change.type === 'state') this.#status = change.status;
    }
  }
}
