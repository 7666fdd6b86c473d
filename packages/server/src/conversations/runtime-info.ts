import type { StateFields } from '@conv/core';
import type { conversationRoutes } from '@conv/openhands/rest';

import type { ConversationHost } from '../hosting/conversation-host.ts';
import { hasOwnExecutor, offered, runtimeIn, runtimesOf } from '../hosting/runtimes.ts';

type RuntimeInfo = Extract<(typeof conversationRoutes.getRuntime)['answer'], { readonly _output: unknown }>['_output'];

/** Describes for clients the place in which the tools of a conversation act. The place starts with its first use, so there is nothing to wait for. */
export function runtimeInfoOf({ options }: ConversationHost, { parentId, extra }: StateFields): RuntimeInfo {
  const { name } = runtimeIn(extra.meta);
  // a sub-agent's conversation acts where its parent does
  const isOfParent = parentId !== null && !hasOwnExecutor(extra.meta);
  if (isOfParent || offered(runtimesOf(options), name) !== undefined)
    return { runtime_status: 'available', can_resume: true, runtime_error: null };
  const message = `this server does not offer the runtime ${name} of the conversation: start the server with ${name}`;
  return { runtime_status: 'missing', can_resume: false, runtime_error: { code: 'RUNTIME_NOT_OFFERED', message } };
}
