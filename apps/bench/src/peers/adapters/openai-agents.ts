import { loadPeer } from '../install.ts';
import type { Peer, PeerRuns, PeerStore } from '../peer.ts';

interface Item {
  readonly type: 'message';
  readonly role: 'user';
  readonly content: string;
}
interface Session {
  addItems(items: readonly Item[]): Promise<void>;
  getItems(limit?: number): Promise<readonly Item[]>;
}
interface Model {
  getResponse(): Promise<{ readonly usage: unknown; readonly output: readonly object[] }>;
  getStreamedResponse(): AsyncIterable<never>;
}
interface OpenAiAgents {
  readonly Agent: new (options: {
    readonly name: string;
    readonly model: Model;
    readonly tools: readonly unknown[];
  }) => unknown;
  readonly Runner: new (options: { readonly tracingDisabled: boolean }) => {
    run(
      agent: unknown,
      input: string,
      options: { readonly session: Session; readonly maxTurns: number },
    ): Promise<unknown>;
  };
  readonly Usage: new () => unknown;
  readonly tool: (options: {
    readonly name: string;
    readonly description: string;
    readonly parameters: object;
    readonly strict: boolean;
    readonly execute: () => Promise<string>;
  }) => unknown;
  readonly MemorySession: new (options: { readonly sessionId: string }) => Session;
}

/** Sessions of OpenAI's Agents SDK. Its other session is a service of OpenAI. */
export const openaiAgents: Peer = {
  key: 'openai-agents',
  title: 'OpenAI Agents SDK, MemorySession',
  kind: 'memory',
  synced: 'nothing: the memory of the process. The package has no durable session',
  packages: ['@openai/agents-core'],
  remarks: {
    fork: 'no fork of a session',
    step: 'a run adds what it made to the session at its end',
  },
  load: async () => {
    const agents = await loadPeer<OpenAiAgents>('@openai/agents-core');
    return async () => openStore(agents);
  },
};

function openStore(agents: OpenAiAgents): PeerStore {
  const { MemorySession } = agents;
  const sessions = new Map<string, Session>();
  const session = (id: string): Session => {
    const known = sessions.get(id) ?? new MemorySession({ sessionId: id });
    sessions.set(id, known);
    return known;
  };
  const itemOf = (content: string): Item => ({ type: 'message', role: 'user', content });
  return {
    fill: (id, texts) => session(id).addItems(texts.map(itemOf)),
    open: async (id) => ({
      append: (text) => session(id).addItems([itemOf(text)]),
      last: async (count) => (await session(id).getItems(count)).map(({ content }) => content),
      all: async () => (await session(id).getItems()).map(({ content }) => content),
      close: async () => {},
    }),
    steps: async (id, calls) => runsOf(agents, session(id), calls),
    close: async () => sessions.clear(),
  };
}

/** Returns runs of an agent whose model and tool take no time. */
function runsOf({ Agent, Runner, Usage, tool }: OpenAiAgents, session: Session, calls: number): PeerRuns {
  let done = 0;
  const model: Model = {
    getResponse: async () => {
      if (done === calls) return { usage: new Usage(), output: [FINAL] };
      const callId = `call_${done++}`;
      const call = { type: 'function_call', callId, name: 'noop', arguments: '{}', status: 'completed' };
      return { usage: new Usage(), output: [call] };
    },
    getStreamedResponse: () => {
      throw new Error('expected a run without a stream: this model has none');
    },
  };
  const parameters = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const noop = tool({
    name: 'noop',
    description: 'does nothing',
    parameters,
    strict: true,
    execute: async () => 'done',
  });
  const agent = new Agent({ name: 'bench', model, tools: [noop] });
  const runner = new Runner({ tracingDisabled: true });
  return {
    run: async () => {
      done = 0;
      await runner.run(agent, 'go on', { session, maxTurns: calls + 2 });
    },
    close: async () => {},
  };
}

const FINAL = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'done' }],
};
