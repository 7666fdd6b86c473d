import type { LlmMessage } from '@conv/openhands/messages';

import type { Caller } from '../auth/principal.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { ForwardingDeps } from '../forwarding/forward-commands.ts';
import { forwardMessage } from '../forwarding/forward-message.ts';
import { withConversation } from '../hosting/with-conversation.ts';
import type { Followable } from './feed-registry.ts';

/** Parts of a server that the sockets of conversations need. */
export interface SocketHost extends Followable {
  /** Stores a message of this client, and starts a run that answers it. Rejects `ConversationError`. */
  send(conversationId: string, message: LlmMessage, caller: Caller): Promise<unknown>;
}

/**
 * Returns a server's conversations as sockets need them. With `forwarding`, a message for another server's conversation is sent
 * there.
 */
export function toSocketHost(host: ConversationHost, forwarding?: ForwardingDeps): SocketHost {
  return {
    follow: (id) => host.follow(id),
    report: (error, about) => host.report(error, about),
    send: (conversationId, message, caller) => {
      const here = (id?: string): Promise<unknown> =>
        withConversation(host, conversationId, (hosted) =>
          hosted.send(message, { run: true, by: caller, ...(id === undefined ? {} : { id }) }),
        );
      return forwarding ? forwardMessage({ conversationId, message, caller }, here, forwarding) : here();
    },
  };
}
