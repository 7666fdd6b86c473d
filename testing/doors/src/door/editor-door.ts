import { client, type ClientConnection, type ContentBlock } from '@agentclientprotocol/sdk';
import { createWebSocketStream } from '@agentclientprotocol/sdk/experimental/ws-client';
import { turnItems, type NumberedEvent } from '@conv/turns';
import { WebSocket } from 'ws';

import { ServerLog } from '../round/server-log.ts';
import { EDITOR_PATH } from '../server/editors.ts';
import { EditorDisplay } from '../show/editor-display.ts';
import type { Client, Decided, Door, Said, Visit } from './door.ts';
import { pause } from './rest.ts';

/** The published client of the Agent Client Protocol over its own socket, as an editor that keeps the cursor of its session. */
export const editorDoor: Door = {
  name: 'editor',
  shows: 'log',
  takesCursor: true,
  failsRejected: true,
  leavesOut: [],
  open: (visit) => opened(visit, true),
};

/** The published client as editors are today: without a cursor, so that it loads the session whole when it comes back. */
export const loadingEditorDoor: Door = {
  name: 'editor without a cursor',
  shows: 'log',
  takesCursor: false,
  failsRejected: true,
  leavesOut: [],
  open: (visit) => opened(visit, false),
};

/** Milliseconds between two looks at the log. */
const LOOK = 40;

async function opened(visit: Visit, keepsCursor: boolean): Promise<Client> {
  const editor = new EditorClient(visit, keepsCursor);
  await editor.ready;
  return editor;
}

class EditorClient implements Client {
  /** Resolves when the session is open. */
  readonly ready: Promise<void>;
  readonly #visit: Visit;
  readonly #keepsCursor: boolean;
  readonly #log: ServerLog;
  readonly #end: Promise<void>;
  /** The decisions of the person, also for an editor that is asked again. True: allowed. */
  readonly #decided = new Map<string, boolean>();
  readonly #questions = new Map<string, () => void>();
  #display: EditorDisplay;
  #connection: ClientConnection | undefined;
  #isClosed = false;
  #isPrompting = false;

  constructor(visit: Visit, keepsCursor: boolean) {
    const { url, id, known = [] } = visit;
    this.#visit = visit;
    this.#keepsCursor = keepsCursor;
    this.#log = new ServerLog(() => url, id);
    this.#display = new EditorDisplay(turnItems(known), known.at(-1)?.index ?? -1);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#end = this.#follow(resolve);
  }

  async known(): Promise<readonly NumberedEvent[] | undefined> {
    if (!this.#keepsCursor) return undefined;
    const { cursor } = this.#display;
    return (await this.#log.events()).slice(0, cursor + 1);
  }

  /** Prompts until the log has the message, because a prompt has no id that makes a repetition harmless. */
  async send(message: Said): Promise<void> {
    while (!(await this.#has(message.text))) {
      if (!this.#isPrompting && this.#connection) void this.#prompt(this.#connection, message);
      await pause(LOOK);
    }
  }

  async decide(decisions: readonly Decided[]): Promise<void> {
    for (const { action, approved } of decisions) this.#decided.set(action, approved);
    const isDone = async (): Promise<boolean> => {
      for (const { action } of decisions) this.#questions.get(action)?.();
      const waiting = await this.#log.waiting();
      return decisions.every(({ action }) => !waiting.includes(action));
    };
    while (!(await isDone())) await pause(LOOK);
  }

  async stop(): Promise<void> {
    while ((await this.#log.status()) === 'running') {
      await this.#connection?.agent.notify('session/cancel', { sessionId: this.#visit.id }).catch(() => {});
      await pause();
    }
  }

  isAtRest(length: number): boolean {
    return !this.#isPrompting && this.#display.cursor >= length - 1;
  }

  shown(): readonly string[] {
    return this.#display.lines();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#connection?.close();
    await this.#end;
  }

  async #has(text: string): Promise<boolean> {
    const events = await this.#log.events();
    return events.some(({ event }) => event.source === 'user' && JSON.stringify(event).includes(JSON.stringify(text)));
  }

  async #prompt({ agent }: Pick<ClientConnection, 'agent'>, message: Said): Promise<void> {
    this.#isPrompting = true;
    this.#display.said(message);
    const { id: sessionId } = this.#visit;
    const display = this.#display;
    try {
      const { _meta } = await agent.request('session/prompt', { sessionId, prompt: blocksOf(message) });
      display.settle(Number(_meta?.['conv/cursor']));
    } catch {
      // the run failed, or the connection was lost
    }
    this.#isPrompting = false;
  }

  /** Connects until the editor is closed. Calls `ready` when the session is open for the first time. */
  async #follow(ready: () => void): Promise<void> {
    while (!this.#isClosed) {
      await this.#connect(ready).catch(() => {});
      this.#connection = undefined;
      this.#questions.clear();
      this.#display.lost();
      await pause();
    }
  }

  async #connect(ready: () => void): Promise<void> {
    const { url, id: sessionId } = this.#visit;
    // a session that is loaded is told from its beginning
    if (!this.#keepsCursor) this.#display = new EditorDisplay([], -1);
    const display = this.#display;
    const connection = client({ name: 'editor' })
      .onNotification('session/update', ({ params: { update, _meta } }) =>
        display.take(update, Number(_meta?.['conv/cursor'])),
      )
      .onRequest('session/request_permission', async ({ params, signal }) => {
        const optionId = (await this.#allows(params.toolCall.toolCallId, signal)) ? 'allow' : 'reject';
        return { outcome: signal.aborted ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
      })
      .connect(createWebSocketStream(`${url.replace('http', 'ws')}${EDITOR_PATH}`, { WebSocket: WebSocket as never }));
    const { agent } = connection;
    const place = { sessionId, cwd: '/', mcpServers: [] };
    try {
      await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
      await (this.#keepsCursor
        ? agent.request('session/resume', { ...place, _meta: { 'conv/after': display.cursor } })
        : agent.request('session/load', place));
      this.#connection = connection;
      ready();
      if (!this.#isClosed) await connection.closed;
    } finally {
      connection.close();
    }
  }

  /** Resolves when the person decides on an action, with true if it is allowed, or the question is withdrawn. */
  async #allows(action: string, signal: AbortSignal): Promise<boolean> {
    if (!this.#decided.has(action)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#questions.set(action, resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
    }
    return this.#decided.get(action) === true;
  }
}

function blocksOf({ text, image = '' }: Said): ContentBlock[] {
  const [, mimeType, data] = /^data:([^;]+);base64,(.*)$/.exec(image) ?? [];
  const images = mimeType !== undefined && data !== undefined ? [{ type: 'image' as const, mimeType, data }] : [];
  return [{ type: 'text', text }, ...images];
}
