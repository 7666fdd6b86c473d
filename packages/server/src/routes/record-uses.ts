import { commandRoutes, conversationRoutes, eventRoutes, type Route } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { callerOf } from '../auth/caller.ts';
import { KeyUses } from '../auth/key-uses.ts';
import { wasForwarded } from '../forwarding/forward-commands.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { conversationIn } from '../http/conversation-in.ts';
import { recordUse } from '../usage/conversation-use.ts';

/** Routes that change nothing, or whose commits name the key themselves: its owner, the start of a run, or who decided. */
const NAMED: ReadonlySet<string> = new Set(
  [
    conversationRoutes.reprovisionRuntime,
    conversationRoutes.start,
    commandRoutes.run,
    commandRoutes.startGoal,
    commandRoutes.resumeGoal,
    eventRoutes.sendMessage,
    eventRoutes.respondToConfirmation,
    eventRoutes.approve,
    eventRoutes.reject,
  ].map(({ operationId }) => operationId),
);

/**
 * Records each request by which a named key has changed something, before it is answered: in a commit of its conversation where that is loaded, else
 * in the registry of `usage`. A request whose record fails is answered all the same, and reported.
 */
export function recordUses(app: FastifyInstance, host: ConversationHost): void {
  const { registry } = host.options.usage ?? {};
  const uses = registry && new KeyUses(registry, host.platform);
  app.addHook('onSend', async (request, reply) => {
    const { route } = request.routeOptions.config;
    const { name } = callerOf(request);
    if (!route || name === null || reply.statusCode >= 400 || !changes(route) || wasForwarded(request)) return;
    const at = new Date(host.platform.now()).toISOString();
    const use = { by: name, at, route: route.operationId };
    const id = conversationIn(request);
    const hosted = id === undefined ? undefined : loaded(host, id);
    try {
      if (hosted) await recordUse(hosted.conversation, { ...use, id: host.platform.id() });
      else await uses?.add({ ...use, conversation: id ?? null });
    } catch (error) {
      host.report(error, { doing: `recording ${route.operationId} by ${name}` });
    }
  });
}

function changes({ method, scope, operationId }: Route): boolean {
  return method !== 'GET' && scope !== 'none' && scope !== 'read' && !NAMED.has(operationId);
}

/** Returns the conversation if it is loaded; `undefined` also for an id that is none. */
function loaded(host: ConversationHost, id: string): ReturnType<ConversationHost['loaded']> {
  try {
    return host.loaded(id);
  } catch {
    return undefined;
  }
}
