import {
  HttpAgent,
  type AgentSubscriber,
  type BaseEvent,
  type RunAgentInput,
  type RunAgentParameters,
} from '@ag-ui/client';
import { clientToolsOf, createAgUiHandler, type AgUiHandlerOptions } from '@conv/ag-ui';
import { createConversationFactory, type Agent, type Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { local } from '@conv/local';
import { openRemoteConversation } from '@conv/remote';
import { onTestFinished } from 'vitest';

import { confirmationPolicy } from './openai-api.ts';
import { ServerUnderTest } from './server-under-test.ts';
import { serveHandler, type WebServer } from './web-server.ts';

/** Makes the conversation of a thread. */
export type MakeThread = (threadId: string, input: RunAgentInput) => Promise<Conversation>;

export interface Threads extends WebServer {
  /** Returns the published client of a thread, by default of another one. */
  readonly client: (threadId?: string) => Client;
  /** The conversations so far, by thread. */
  readonly conversations: ReadonlyMap<string, Conversation>;
}

/** Makes local conversations. */
export function localThreads(agent: Agent, asks = false): MakeThread {
  const store = new MemoryStore();
  const factory = createConversationFactory({ runtimes: [local({ storeAt: () => store })] });
  return (id, input) =>
    factory.create({
      id,
      agent,
      workspace: '.',
      clientTools: clientToolsOf(input),
      ...(asks ? { confirmationPolicy } : {}),
    });
}

/** Makes conversations on a server. */
export function remoteThreads(agent: Agent, asks = false): MakeThread {
  return async (id, input) => {
    const server = await ServerUnderTest.start(agent);
    onTestFinished(() => server.dispose());
    const options = { id, workspace: server.workspace, agent: agent.describe(), clientTools: clientToolsOf(input) };
    return openRemoteConversation({}, { ...options, ...(asks ? { confirmationPolicy } : {}) });
  };
}

/** Serves threads on a real port; a request begins the conversation of a thread. */
export async function serveThreads(make: MakeThread, options: Partial<AgUiHandlerOptions> = {}): Promise<Threads> {
  const conversations = new Map<string, Conversation>();
  const handle = createAgUiHandler({
    conversation: async (threadId, _, input) => {
      const known = conversations.get(threadId);
      if (known) return known;
      const conversation = await make(threadId, input as RunAgentInput);
      onTestFinished(() => conversation.close());
      conversations.set(threadId, conversation);
      return conversation;
    },
    ...options,
  });
  const server = await serveHandler(handle);
  const client = (threadId: string = crypto.randomUUID()): Client => new Client(`${server.url}/agent`, threadId);
  return { ...server, client, conversations };
}

/** The published client. */
export class Client extends HttpAgent {
  /** The events of the newest run. */
  events: BaseEvent[] = [];

  constructor(url: string, threadId: string) {
    super({ url, threadId });
    this.subscribe({ onEvent: ({ event }) => void this.events.push(event) });
  }

  /** Sends a message, and resolves with the last event of its run. */
  async say(content: string, given: RunAgentParameters = {}): Promise<BaseEvent | undefined> {
    this.addMessage({ id: crypto.randomUUID(), role: 'user', content });
    return this.ask(given);
  }

  /** Asks for a run, and resolves with its last event. */
  async ask(given: RunAgentParameters = {}, subscriber?: AgentSubscriber): Promise<BaseEvent | undefined> {
    this.events = [];
    await this.runAgent(given, subscriber);
    return this.events.at(-1);
  }

  /** Returns the roles and contents of its messages, and the calls in them. */
  shown(): readonly string[] {
    return this.messages.flatMap((message) => {
      const { role, content = '' } = message;
      const said =
        content === '' ? [] : [`${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`];
      const calls = role === 'assistant' ? (message.toolCalls ?? []) : [];
      return [...said, ...calls.map(({ function: { name, arguments: given } }) => `call: ${name} ${given}`)];
    });
  }

  /** Asks for a run with the same answer to each interrupt, and resolves with its last event. */
  async resume(payload: object): Promise<BaseEvent | undefined> {
    const resume = this.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'resolved' as const, payload }));
    return this.ask({ resume });
  }

  /** Lets its requests lose their connection behind a number of events. `told` gets the cursor of each event before. */
  cutBehind(count: number, told: (cursor: string) => void): void {
    this.fetch = async (url, init) => cutStream(await fetch(url, init), count, told);
  }

  /** Lets its requests go through again, with a cursor or without. */
  comeBack(cursor: string | undefined): void {
    this.fetch = (url, init) => fetch(url, init);
    this.headers = cursor === undefined ? {} : { 'last-event-id': cursor };
  }
}

/** Returns a response that ends behind a number of server-sent events. */
function cutStream(answer: Response, count: number, told: (cursor: string) => void): Response {
  let left = count;
  const cut = new TransformStream<string, string>({
    transform(text, controller) {
      for (const frame of text.split(/(?<=\n\n)/)) {
        if (left-- <= 0) return controller.terminate();
        told(/^id: (-?\d+)/.exec(frame)?.[1] ?? '');
        controller.enqueue(frame);
      }
    },
  });
  const body = (answer.body as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(cut)
    .pipeThrough(new TextEncoderStream());
  return new Response(body as ReadableStream, { headers: answer.headers });
}
