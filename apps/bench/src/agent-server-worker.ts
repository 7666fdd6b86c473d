import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MemoryStore } from '@conv/core/store';
import { FsStore } from '@conv/persist-fs';
import { agentServer } from '@conv/server';

import { instantAgent } from './instant-agent.ts';
import { serveLoad } from './load/serve-load.ts';
import { withoutEventFiles } from './without-event-files.ts';

/** Runs that may be on at once. */
const RUNS = 1000;

const [directory = tmpdir(), kind] = process.argv.slice(2);
const store =
  kind === 'memory' ? new MemoryStore() : new FsStore({ directory, mirror: 'deferred', disk: withoutEventFiles });
const server = agentServer({
  store,
  persistenceDir: join(directory, 'files'),
  agents: { revive: async () => instantAgent(1) },
  maxConcurrentRuns: RUNS,
});
await serveLoad(server, { directory });
