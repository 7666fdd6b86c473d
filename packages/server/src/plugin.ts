import type { FastifyPluginAsync } from 'fastify';

import { checkServerOptions } from './check-server-options.ts';
import { SessionTickets } from './auth/session-tickets.ts';
import { ConversationHost } from './hosting/conversation-host.ts';
import type { AgentServerOptions } from './server-options.ts';

/** A plugin, and the conversations that it serves: to be counted, and to be used without HTTP. */
export type AgentServer = FastifyPluginAsync & {
  readonly host: ConversationHost;
  /**
   * Returns a one-use ticket for a start link. A browser exchanges it within ten minutes for the session cookie of this key, by
   * `POST /api/auth/session`, or by opening `/?ticket=…`. The ticket is void if the key does not open the server.
   */
  readonly issueTicket: (key: string) => string;
};

/**
 * The agent server as a Fastify plugin: REST routes and sockets of OpenHands' protocol and what this server has beyond it.
 * Runs that were on when a server ended go on when this one is ready; closing the instance leaves runs to the next start and stores
 * everything.
 *
 * @example
 * ```ts
 * import { agentServer } from '@conv/server';
 * import { MemoryStore } from '@conv/core/store';
 * import { fastify } from 'fastify';
 *
 * const app = fastify();
 * await app.register(agentServer({ store: new MemoryStore(), persistenceDir: '/tmp/conversations', agents: { revive: async () => undefined } }));
 * await app.close();
 * ```
 */
export function agentServer(options: AgentServerOptions): AgentServer {
  checkServerOptions(options);
  const host = new ConversationHost(options);
  const tickets = new SessionTickets(host.platform);
  const plugin: FastifyPluginAsync = async (app) => {
    // routes and sockets, and the packages that they stand on, are of no use before there is a server
    const { serveHost } = await import('./serve-host.ts');
    await serveHost(app, host, options, tickets);
  };
  return Object.assign(plugin, { host, issueTicket: (key: string) => tickets.issue(key) });
}
