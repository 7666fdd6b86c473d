import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { PROTOCOLS, servedProtocols } from '@conv/agent-server';
import { FsStore } from '@conv/persist-fs';
import { agentServer } from '@conv/server';
import { fastify } from 'fastify';

import { storyAgent } from '../story/story-agent.ts';
import { Editors } from './editors.ts';
import { modelAgent } from './model-agent.ts';
import { quickDisk } from './quick-disk.ts';
import { KEY, type ServerPlan } from './server-plan.ts';

/** A server that listens. */
export interface Serving {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves conversations through every door: the agent server with all protocols, and sessions of editors. */
export async function serve({ directory, port, fleet, model }: ServerPlan): Promise<Serving> {
  const app = fastify({ pluginTimeout: 0, forceCloseConnections: true });
  const lease = fleet ? { leaseTimeout: fleet.lease } : {};
  const store = new FsStore({ directory, mirror: 'deferred', disk: quickDisk, ...lease });
  await app.register(
    agentServer({
      store,
      persistenceDir: join(directory, 'files'),
      agents: { revive: async () => (model === undefined ? storyAgent : modelAgent(model)) },
      sessionKeys: [KEY],
      protocols: servedProtocols(PROTOCOLS),
      maxConcurrentRuns: 100,
      handoverGrace: 0,
      ...(fleet
        ? {
            fleet: {
              url: `http://127.0.0.1:${port}`,
              peers: ['http://127.0.0.1:*'],
              key: 'the key of the fleet',
              scanInterval: fleet.scan,
            },
          }
        : {}),
      report: (error, about) => void process.stderr.write(`${JSON.stringify(about)} ${String(error)}\n`),
    }),
  );
  const editors = new Editors(() => (app.server.address() as AddressInfo).port);
  editors.mount(app);
  await app.listen({ host: '127.0.0.1', port });
  return {
    port: (app.server.address() as AddressInfo).port,
    close: async () => {
      await editors.close();
      await app.close();
      await store.close();
    },
  };
}
