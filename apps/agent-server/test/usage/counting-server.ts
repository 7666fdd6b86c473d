import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { systemPlatform, type Platform } from '@conv/core/platform';
import type { ConversationStore } from '@conv/core/store';
import { agentServer, type UsageOptions } from '@conv/server';
import { type DailyLimits } from '@conv/server/access';
import { fastify } from 'fastify';

import { Gate, newConversation, workers } from '../fleet/work-script.ts';

/** Cost of each call of the scripted model. */
export const CALL = 0.001;

/** Milliseconds after which a message waits for the registry no more, and is stored without its run. */
const REGISTRY_WAIT = 1000;

/** Lets messages wait for the registry as long as it takes on a busy machine. */
const patient: Platform = {
  ...systemPlatform,
  setTimer: (milliseconds, work, options) =>
    systemPlatform.setTimer(milliseconds === REGISTRY_WAIT ? Infinity : milliseconds, work, options),
};

/** A server on which every key is the name of a principal with these limits. */
export interface CountingServer {
  readonly url: string;
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Makes a conversation whose model answers at once; resolves with its path. */
  make(): Promise<string>;
  close(): Promise<void>;
}

export interface CountingOptions {
  readonly folder: string;
  readonly store: ConversationStore;
  readonly registry: UsageOptions['registry'];
  readonly daily: DailyLimits;
}

/** Starts a server in this process. */
export async function startCounting({ folder, store, registry, daily }: CountingOptions): Promise<CountingServer> {
  const app = fastify({ pluginTimeout: 0 });
  await app.register(
    agentServer({
      store,
      persistenceDir: folder,
      agents: workers(new Gate()),
      principal: (key) => ({ name: key, scopes: ['read', 'run', 'approve'], daily }),
      usage: { registry, reserve: CALL },
      handoverGrace: 0,
      maxConcurrentRuns: 100,
      platform: patient,
      report: () => {},
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const call: CountingServer['call'] = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-session-api-key': 'ann', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const make = async (): Promise<string> => {
    const { status, body } = await call(
      'POST',
      '/api/conversations',
      newConversation('says', join(folder, 'work', randomUUID())),
    );
    if (status !== 201) throw new Error(`refused with ${status}: ${JSON.stringify(body)}`);
    return `/api/conversations/${(body as { readonly id: string }).id}`;
  };
  return { url, call, make, close: () => app.close() };
}
