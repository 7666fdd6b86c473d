import type { LlmMessage } from '@conv/core/messages';

import type { ConversationHost } from '../conversation-host.ts';
import type { ForwardingInput } from '../fleet/forward-commands.ts';
import { forwardMessage } from '../fleet/forward-message.ts';
import { withConversation } from '../with-conversation.ts';
import type { Followable } from './feed-registry.ts';

/** What the sockets of conversations need of a server. */
export interface SocketHost extends Followable {
  /** Stores a message of the user, who showed this key, and has it answered. Rejects `ConversationError`. */
  send(conversationId: string, message: LlmMessage, key: string | undefined): Promise<unknown>;
}

/** The conversations of a server, as their sockets see them. `forwarding`: a message for a conversation of another server is sent there. */
export function toSocketHost(host: ConversationHost, forwarding?: ForwardingInput): SocketHost {
  return {
    follow: (id, key) => host.follow(id, key),
    report: (error, about) => host.report(error, about),
    send: (conversationId, message, key) => {
      const here = (id?: string): Promise<unknown> =>
        withConversation(host, conversationId, (hosted) =>
          hosted.send(message, { run: true, ...(id === undefined ? {} : { id }) }),
        );
      return forwarding ? forwardMessage({ conversationId, message, key }, here, forwarding) : here();
    },
  };
}
