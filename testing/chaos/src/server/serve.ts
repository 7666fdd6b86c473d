import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { FsStore } from '@conv/persist-fs';
import { agentServer } from '@conv/server';
import { fastify } from 'fastify';
import { Random } from '@conv/testing-harness';

import type { ServerPlan } from '../server-plan.ts';
import { breakServer } from './break-server.ts';
import { hideCapabilities } from './hide-capabilities.ts';
import { scriptedAgent } from './scripted-agent.ts';

/** Maximum number of concurrent runs: one per round of a server. */
const RUNS = 100;

/** Listens on a free port; resolves with the port. */
export async function serve({ directory, seed, legacy, breakage }: ServerPlan): Promise<number> {
  const random = new Random(seed);
  const app = fastify({ pluginTimeout: 0 });
  if (legacy) hideCapabilities(app);
  if (breakage !== null) breakServer(app, breakage);
  await app.register(
    agentServer({
      store: new FsStore({ directory, mirror: 'deferred' }),
      persistenceDir: join(directory, 'files'),
      agents: { revive: async ({ kind }) => (kind === 'Agent' ? scriptedAgent(random) : undefined) },
      maxConcurrentRuns: RUNS,
      report: (error, about) => void process.stderr.write(`${JSON.stringify(about)} ${String(error)}\n`),
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}
