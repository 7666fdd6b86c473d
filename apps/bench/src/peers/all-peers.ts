import { bareFile } from './adapters/bare-file.ts';
import { barePostgres } from './adapters/bare-postgres.ts';
import { bareSqlite } from './adapters/bare-sqlite.ts';
import { ours } from './adapters/conv.ts';
import { emmett } from './adapters/emmett.ts';
import { langgraph } from './adapters/langgraph.ts';
import { mastra } from './adapters/mastra.ts';
import { openhands } from './adapters/openhands.ts';
import { openaiAgents } from './adapters/openai-agents.ts';
import { workflow } from './adapters/workflow.ts';
import type { Peer } from './peer.ts';

/** All programs in the order of the tables: baselines, ours, others. */
export const ALL_PEERS: readonly Peer[] = [
  bareFile,
  bareSqlite,
  barePostgres,
  ...ours,
  ...langgraph,
  openaiAgents,
  mastra,
  ...emmett,
  workflow,
  openhands,
];

/** Returns the program with a key. Throws `RangeError` for an unknown one. */
export function peerWith(key: string): Peer {
  const peer = ALL_PEERS.find((each) => each.key === key);
  if (!peer)
    throw new RangeError(
      `no peer has the key ${JSON.stringify(key)}: expected one of ${ALL_PEERS.map((each) => each.key).join(', ')}`,
    );
  return peer;
}
