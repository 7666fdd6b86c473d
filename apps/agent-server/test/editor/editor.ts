import {
  client,
  ndJsonStream,
  type ClientContext,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { connectEditor, type EditorConnection, type EditorOptions } from '@conv/acp';
import { onTestFinished, vi } from 'vitest';

type Pipe = TransformStream<Uint8Array, Uint8Array>;

/** The published client of the protocol, as an editor: it keeps what it was told and answers questions when the test does. */
export class Editor {
  readonly updates: SessionUpdate[] = [];
  readonly cursors: number[] = [];
  /** Questions that wait for their answer. */
  readonly questions: (RequestPermissionRequest & {
    readonly answer: (optionId: string | undefined) => void;
    readonly signal: AbortSignal;
  })[] = [];
  readonly agent: ClientContext;
  readonly connection: EditorConnection;

  /** Connects an editor to an agent over a stream of lines, as over standard input and output. */
  constructor(options: EditorOptions) {
    const pipes = [0, 1, 2].map(() => new TransformStream<Uint8Array, Uint8Array>());
    const [said, there, here] = pipes as [Pipe, Pipe, Pipe];
    const gone = new AbortController();
    void said.readable.pipeTo(there.writable, { signal: gone.signal }).catch(() => undefined);
    this.connection = connectEditor(ndJsonStream(here.writable, there.readable), options);
    const connection = client({ name: 'editor' })
      .onNotification('session/update', ({ params: { update, _meta } }) => {
        this.updates.push(update);
        this.cursors.push(Number(_meta?.['conv/cursor']));
      })
      .onRequest('session/request_permission', async ({ params, signal }) => {
        const { promise, resolve } = Promise.withResolvers<RequestPermissionOutcome>();
        const answer = (optionId: string | undefined): void =>
          resolve(optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId });
        signal.addEventListener('abort', () => answer(undefined));
        this.questions.push({ ...params, answer, signal });
        return { outcome: await promise };
      })
      .connect(ndJsonStream(said.writable, here.readable));
    this.agent = connection.agent;
    this.leave = () => {
      connection.close();
      gone.abort();
    };
    onTestFinished(this.leave);
  }

  /** Ends the connection, as an editor that crashes does. */
  readonly leave: () => void;

  initialize(): Promise<unknown> {
    return this.agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  }

  async newSession(): Promise<string> {
    await this.initialize();
    return (await this.agent.request('session/new', { cwd: '/', mcpServers: [] })).sessionId;
  }

  async load(sessionId: string): Promise<void> {
    await this.initialize();
    await this.agent.request('session/load', { sessionId, cwd: '/', mcpServers: [] });
  }

  /** Sends a text. Resolves with the reason why the turn ended. */
  async say(sessionId: string, text: string): Promise<string> {
    const { stopReason } = await this.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    return stopReason;
  }

  /** Resolves with the question at this place, when it has come. */
  async question(place = 0) {
    await vi.waitUntil(() => this.questions.length > place, { timeout: 100_000, interval: 20 });
    return this.questions[place] as (typeof this.questions)[number];
  }

  /** A line for each message and call that a person reads. */
  get shown(): readonly string[] {
    const lines = new Map<string, string>();
    for (const [place, update] of this.updates.entries()) {
      const kind = update.sessionUpdate;
      if (kind === 'tool_call' || kind === 'tool_call_update') {
        lines.set(update.toolCallId, `${update.title ?? update.toolCallId}: ${update.status}`);
      } else if (kind === 'agent_message_chunk' || kind === 'user_message_chunk' || kind === 'agent_thought_chunk') {
        const id = `${kind} ${update.messageId ?? place}`;
        const text = update.content.type === 'text' ? update.content.text : `(${update.content.type})`;
        lines.set(id, `${lines.get(id) ?? `${SPEAKERS[kind]}: `}${text}`);
      }
    }
    return [...lines.values()];
  }
}

const SPEAKERS = { agent_message_chunk: 'agent', user_message_chunk: 'user', agent_thought_chunk: 'thought' } as const;
