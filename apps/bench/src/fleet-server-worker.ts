import { join } from 'node:path';

import { PostgresStore } from '@conv/persist-postgres';
import { agentServer } from '@conv/server';

import { instantAgent } from './instant-agent.ts';
import { serveLoad } from './load/serve-load.ts';

/** Runs that may be on at once. */
const RUNS = 1000;

const [connectionString = '', directory = '', port = ''] = process.argv.slice(2);
const server = agentServer({
  store: new PostgresStore({ connectionString }),
  persistenceDir: join(directory, 'files'),
  agents: { revive: async () => instantAgent(1) },
  maxConcurrentRuns: RUNS,
  fleet: { url: `http://127.0.0.1:${port}`, peers: ['http://127.0.0.1:*'], key: 'the key of the bench fleet' },
});
await serveLoad(server, { directory, port: Number(port) });
