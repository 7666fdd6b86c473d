import type { FastifyPluginAsync } from 'fastify';

import { checkServerOptions } from './check-server-options.ts';
import { SessionTickets } from './auth/session-tickets.ts';
import { ChildLauncher } from './conversations/child-launcher.ts';
import { givenFoldersOf } from './conversations/given-folders.ts';
import { principalOf } from './conversations/principal-of.ts';
import { ConversationHost } from './hosting/conversation-host.ts';
import type { AgentServerOptions } from './server-options.ts';
import { ChangedConversations } from './webhooks/changed-conversations.ts';

/** The plugin, with the host of its conversations, for metrics and for use without HTTP. */
export type AgentServer = FastifyPluginAsync & {
  readonly host: ConversationHost;
  /**
   * Returns a one-use ticket for a start link. A browser exchanges it within ten minutes for the session cookie of this key, by
   * `POST /api/auth/session`, or by opening `/?ticket=…`. The ticket is void if the key does not open the server.
   */
  readonly issueTicket: (key: string) => string;
  /**
   * Resolves with the name of the principal that a conversation belongs to; null for a key of the configuration. For what belongs to a person, such as
   * logins at MCP servers. Rejects `ConversationError` for an unknown conversation, and if the principal cannot be known.
   */
  readonly principalOf: (conversationId: string) => Promise<string | null>;
  /**
   * Resolves with the folders that a conversation was given with its plugins, for its sandbox; see `ServerPlugins.givenFolder`. None for an id without a
   * conversation. Rejects `ConversationError` if the store cannot be read.
   */
  readonly givenFoldersOf: (conversationId: string) => Promise<readonly string[]>;
  /**
   * Starts a child of a conversation for a tool of its agent, such as `startChildTool` of `@conv/agent`, in the name of the caller that started its
   * run. Resolves when the task is durable. Rejects as `POST /api/conversations/{id}/children` answers, and `TypeError` before the plugin is registered.
   */
  readonly startChild: (
    parentId: string,
    child: { readonly task: string; readonly title: string | null; readonly isolation: 'worktree' | 'shared' },
  ) => Promise<{
    readonly conversation_id: string;
    readonly parent_conversation_id: string;
    readonly status: string;
    readonly title: string | null;
    readonly url: string | null;
    readonly workspace: string | null;
    readonly isolation: 'worktree' | 'shared' | null;
  }>;
};

/**
 * The agent server as a Fastify plugin: REST routes and sockets of OpenHands' protocol, and this server's extensions. When it is
 * ready, it continues runs that were active when a server ended. Closing the instance stores everything and leaves runs to the next
 * start.
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
  const changed = new ChangedConversations();
  const host =
    options.webhooks || options.receivers
      ? new ConversationHost(withSubscriber(options, changed), (id) => changed.changed(id))
      : new ConversationHost(options);
  const tickets = new SessionTickets(host.platform);
  const children = new ChildLauncher();
  const plugin: FastifyPluginAsync = async (app) => {
    // imported here, because routes, sockets and their packages are needed only once there is a server
    const { serveHost } = await import('./serve-host.ts');
    await serveHost(app, host, options, { tickets, changed, children });
  };
  return Object.assign(plugin, {
    host,
    issueTicket: (key: string) => tickets.issue(key),
    principalOf: (conversationId: string) => principalOf(host, conversationId),
    givenFoldersOf: (conversationId: string) => givenFoldersOf(host, conversationId),
    startChild: children.start.bind(children),
  });
}

function withSubscriber(options: AgentServerOptions, changed: ChangedConversations): AgentServerOptions {
  const { subscribers } = options;
  return { ...options, subscribers: (id) => [...(subscribers?.(id) ?? []), changed.subscriber(id)] };
}
