import type { AddressInfo } from 'node:net';

import { ConversationError } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { StoreError, type OwnerInfo } from '@conv/core/store';
import { commandRoutes, conversationRoutes, eventRoutes, type Route, routes } from '@conv/openhands/rest';
import Fastify from 'fastify';
import { onTestFinished } from 'vitest';

import { forwardCommands } from '../../src/forwarding/forward-commands.ts';
import { OwnerRequests } from '../../src/forwarding/owner-requests.ts';
import { Peers } from '../../src/ownership/peers.ts';
import { addFallbacks } from '../../src/http/fallbacks.ts';
import { readJsonBodies } from '../../src/http/read-json.ts';
import { serveRoute } from '../../src/http/serve-route.ts';
import { testFleet } from '../support/test-fleet.ts';

export const ID = '5f0c2c1e-6a9b-4d55-9d3e-8a0e0c1b2a3d';

/** A server of a fleet whose conversations are where a test says. */
export interface FrontServer {
  readonly url: string;
  readonly outcomes: readonly string[];
  /** Returns the number of commands that were tried on its own conversations. */
  readonly tries: () => number;
}

/** Options of a {@link FrontServer}. */
export interface Front {
  /** Returns the current owner of the conversation; `undefined` when it is here. */
  readonly owner: () => OwnerInfo | undefined;
  /** Executes the command here. Default: `{ success: true }`. */
  readonly here?: () => unknown;
  readonly prefix?: string;
  readonly name?: string;
}

/** An owner whose lease ends so many milliseconds from now. */
export function owning(url: string, lease = 60_000): OwnerInfo {
  return { owner: url, epoch: 1, until: Date.now() + lease };
}

/** Returns a store's error for a conversation that another process owns. */
export function owned(owner: OwnerInfo): ConversationError {
  const cause = new StoreError('OWNED', `owned by ${owner.owner}`, { owner });
  return new ConversationError('OWNED', 'owned', { cause, conversationId: ID });
}

/** Starts a server with a few commands. */
export async function startFront({
  owner,
  here,
  prefix = '',
  name = 'http://front.invalid',
}: Front): Promise<FrontServer> {
  const app = Fastify({ pluginTimeout: 0 });
  const outcomes: string[] = [];
  let tries = 0;
  const peers = new Peers(testFleet(name), systemPlatform);
  const requests = new OwnerRequests(peers);
  const handle = (): unknown => {
    tries++;
    const one = owner();
    if (one) throw owned(one);
    return here ? here() : { success: true };
  };
  await app.register(
    async (scope) => {
      readJsonBodies(scope);
      addFallbacks(scope, { platform: systemPlatform, report: () => {} });
      const observer = { forwarded: (outcome: string) => void outcomes.push(outcome) };
      const ownerOf = async (): Promise<OwnerInfo | undefined> => owner();
      const deps = { platform: systemPlatform, peers, requests, observer, ownerOf, requestTimeout: 1000 };
      forwardCommands(scope, deps);
      for (const route of [
        commandRoutes.run,
        eventRoutes.sendMessage,
        conversationRoutes.delete,
        conversationRoutes.start,
      ])
        serveRoute(scope, anyBody(route as unknown as Route), () => handle());
    },
    { prefix },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
    await requests.close();
  });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}${prefix}`;
  return { url, outcomes, tries: () => tries };
}

/** Returns the route without its schema of bodies, because forwarding is tested and not bodies. */
function anyBody({ body: _body, ...route }: Route): Route {
  if (!routes.some(({ operationId }) => operationId === route.operationId)) throw new Error('no such route');
  return route as Route;
}
