import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ConversationStore } from '@conv/core/store';
import { MemoryStore } from '@conv/core/store';
import { FsStore } from '@conv/persist-fs';
import { PostgresStore } from '@conv/persist-postgres';
import { SqliteStore } from '@conv/persist-sqlite';
import { agentServer } from '@conv/server';

import { instantAgent } from './instant-agent.ts';
import { serveLoad } from './load/serve-load.ts';
import { withoutEventFiles } from './without-event-files.ts';

/** Runs that may be on at once. */
const RUNS = 1000;

const [directory = tmpdir(), kind = 'files', connectionString = ''] = process.argv.slice(2);
const server = agentServer({
  store: storeOf(kind),
  persistenceDir: join(directory, 'files'),
  agents: { revive: async () => instantAgent(1) },
  maxConcurrentRuns: RUNS,
});
await serveLoad(server, { directory });

function storeOf(name: string): ConversationStore {
  if (name === 'memory') return new MemoryStore();
  if (name === 'sqlite') return new SqliteStore({ file: join(directory, 'ours.db') });
  if (name === 'postgres') return new PostgresStore({ connectionString });
  return new FsStore({ directory, mirror: 'deferred', disk: withoutEventFiles });
}
