import { ConversationError, type Conversation } from '@conv/core';
import { onTestFinished } from 'vitest';

/** The embedder of an adapter. */
export interface Keeping<Wanted> {
  /** Makes a conversation. */
  readonly create: (wanted: Wanted) => Promise<Conversation>;
  /** Finds a conversation that was made. Rejects `NOT_FOUND` for an id of no conversation. */
  readonly conversation: (id: string) => Promise<Conversation>;
  /** The conversations that were made. */
  readonly conversations: readonly Conversation[];
}

/** Keeps the conversations that `make` makes, until the test has finished. */
export function keeping<Wanted>(make: (wanted: Wanted) => Promise<Conversation>): Keeping<Wanted> {
  const conversations: Conversation[] = [];
  return {
    conversations,
    create: async (wanted) => {
      const conversation = await make(wanted);
      onTestFinished(() => conversation.close());
      conversations.push(conversation);
      return conversation;
    },
    conversation: async (id) => {
      const conversation = conversations.find((each) => each.id === id);
      if (conversation) return conversation;
      throw new ConversationError('NOT_FOUND', 'not there');
    },
  };
}
