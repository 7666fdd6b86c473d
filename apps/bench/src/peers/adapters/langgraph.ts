import { join } from 'node:path';

import { loadPeer } from '../install.ts';
import type { Peer, PeerPlace, PeerStore, StorageKind } from '../peer.ts';
import { effectsOf, runsOf } from './langgraph-runs.ts';
import type { Config, LangGraph, Loaded, Messages, Postgres, Saver, Sqlite } from './langgraph-types.ts';

const FILLED_AT_ONCE = 500;
const NODE = 'keep';

/** LangGraph's checkpointers below a graph of one node. `updateState` writes one checkpoint, `invoke` would write several. */
export const langgraph: readonly Peer[] = [
  peerOf('memory', { title: 'LangGraph.js, memory', synced: 'nothing: the memory of the process', saver: memorySaver }),
  peerOf('sqlite', {
    title: 'LangGraph.js, SQLite',
    synced: 'write-ahead log, no flush at a commit (better-sqlite3 is built with synchronous=NORMAL)',
    saver: sqliteSaver,
    packages: ['@langchain/langgraph-checkpoint-sqlite'],
  }),
  peerOf('sqlite', {
    title: 'LangGraph.js, SQLite, DeltaChannel (beta)',
    suffix: '-delta',
    synced: 'write-ahead log, no flush at a commit (better-sqlite3 is built with synchronous=NORMAL)',
    saver: sqliteSaver,
    packages: ['@langchain/langgraph-checkpoint-sqlite'],
  }),
  peerOf('postgres', {
    title: 'LangGraph.js, PostgreSQL',
    synced: 'commit, flushed by the server (synchronous_commit=on)',
    saver: postgresSaver,
    packages: ['@langchain/langgraph-checkpoint-postgres'],
  }),
];

interface Variant {
  readonly title: string;
  readonly suffix?: string;
  readonly synced: string;
  readonly packages?: readonly string[];
  readonly saver: () => Promise<(place: PeerPlace) => Promise<Saver>>;
}

function peerOf(kind: StorageKind, { title, suffix = '', synced, packages = [], saver }: Variant): Peer {
  return {
    key: `langgraph-${kind}${suffix}`,
    title,
    kind,
    synced,
    packages: ['@langchain/langgraph', ...packages],
    remarks: {
      open: 'the state holds all messages; no call reads its end alone',
      step: 'a graph of a model and a tool, each a checkpoint, by the default durability (async)',
      list: 'from all checkpoints, because no call lists threads',
      resume: 'each effect is a task, by the durability "sync"',
      fork: 'a branch in the same thread, which is the fork that its documents describe',
    },
    load: async () => {
      const open = await saver();
      const loaded: Loaded = {
        peer: await loadPeer<LangGraph>('@langchain/langgraph'),
        messages: await loadPeer<Messages>('@langchain/core/messages'),
      };
      return async (place) => openStore(await open(place), loaded, suffix !== '');
    },
  };
}

async function memorySaver(): Promise<(place: PeerPlace) => Promise<Saver>> {
  const { MemorySaver } = await loadPeer<LangGraph>('@langchain/langgraph');
  return async () => ({ checkpointer: new MemorySaver(), close: async () => {} });
}

async function sqliteSaver(): Promise<(place: PeerPlace) => Promise<Saver>> {
  const { SqliteSaver } = await loadPeer<Sqlite>('@langchain/langgraph-checkpoint-sqlite');
  return async ({ directory }) => {
    const saver = SqliteSaver.fromConnString(join(directory, 'checkpoints.db'));
    return { checkpointer: saver, close: async () => saver.db.close() };
  };
}

async function postgresSaver(): Promise<(place: PeerPlace) => Promise<Saver>> {
  const { PostgresSaver } = await loadPeer<Postgres>('@langchain/langgraph-checkpoint-postgres');
  return async ({ database = '' }) => {
    const saver = PostgresSaver.fromConnString(database);
    await saver.setup();
    return { checkpointer: saver, close: () => saver.end() };
  };
}

function openStore({ checkpointer, close }: Saver, loaded: Loaded, isDelta: boolean): PeerStore {
  const { peer, messages } = loaded;
  const { HumanMessage } = messages;
  const schema = isDelta ? new peer.StateSchema({ messages: peer.MessagesDeltaValue }) : peer.MessagesAnnotation;
  const graph = new peer.StateGraph(schema)
    .addNode(NODE, () => ({}))
    .addEdge(peer.START, NODE)
    .addEdge(NODE, peer.END)
    .compile({ checkpointer });
  const configOf = (id: string): Config => ({ configurable: { thread_id: id } });
  const update = async (config: Config, texts: readonly string[]): Promise<void> =>
    void (await graph.updateState(config, { messages: texts.map((text) => new HumanMessage(text)) }, NODE));
  const textsIn = async (id: string): Promise<readonly string[]> =>
    ((await graph.getState(configOf(id))).values.messages ?? []).map(({ content }) => content);
  return {
    fill: async (id, texts) => {
      for (let at = 0; at < texts.length; at += FILLED_AT_ONCE)
        await update(configOf(id), texts.slice(at, at + FILLED_AT_ONCE));
    },
    open: async (id) => ({
      append: (text) => update(configOf(id), [text]),
      last: async (count) => (await textsIn(id)).slice(-count),
      all: () => textsIn(id),
      close: async () => {},
    }),
    fork: async (from) => update((await graph.getState(configOf(from))).config, []),
    steps: async (id, calls) => runsOf({ loaded, schema, checkpointer, config: configOf(id) }, calls),
    list: async () => {
      const threads = new Set<string>();
      for await (const { config } of checkpointer.list({})) threads.add(config.configurable.thread_id);
      return [...threads];
    },
    effects: effectsOf({ loaded, checkpointer, configOf }),
    close,
  };
}
