import type { MessageInput } from '@conv/core';

import type { ConversationHost } from '../conversation-host.ts';
import type { Followable } from './feed-registry.ts';

/** What the sockets of conversations need of a server. */
export interface SocketHost extends Followable {
  /** Stores a message of the user and has it answered. Rejects `ConversationError`. */
  send(conversationId: string, message: MessageInput): Promise<unknown>;
}

/** The conversations of a server, as their sockets see them. */
export function toSocketHost(host: ConversationHost): SocketHost {
  return {
    follow: (id) => host.follow(id),
    report: (error, about) => host.report(error, about),
    send: async (id, message) => {
      const lease = await host.acquire(id);
      try {
        return await lease.conversation.send(message, { run: true });
      } finally {
        lease.release();
      }
    },
  };
}
