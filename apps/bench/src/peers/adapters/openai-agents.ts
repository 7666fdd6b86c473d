import { loadPeer } from '../install.ts';
import type { Peer, PeerStore } from '../peer.ts';

interface Item {
  readonly type: 'message';
  readonly role: 'user';
  readonly content: string;
}
interface Session {
  addItems(items: readonly Item[]): Promise<void>;
  getItems(limit?: number): Promise<readonly Item[]>;
}
interface OpenAiAgents {
  readonly MemorySession: new (options: { readonly sessionId: string }) => Session;
}

/** Sessions of OpenAI's Agents SDK. Its other session is a service of OpenAI. */
export const openaiAgents: Peer = {
  key: 'openai-agents',
  title: 'OpenAI Agents SDK, MemorySession',
  kind: 'memory',
  synced: 'nothing: the memory of the process. The package has no durable session',
  packages: ['@openai/agents-core'],
  remarks: { fork: 'no fork of a session' },
  load: async () => {
    const agents = await loadPeer<OpenAiAgents>('@openai/agents-core');
    return async () => openStore(agents);
  },
};

function openStore({ MemorySession }: OpenAiAgents): PeerStore {
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
    close: async () => sessions.clear(),
  };
}
