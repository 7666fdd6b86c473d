import type { RemoteConversation, RemoteWorkspace } from '@conv/remote';

import type { PlaceOptions } from '../conversation/place.ts';
import type { ReadableConversation } from '../conversation/readable-conversation.ts';
import { readConversation } from '../conversation/stored-conversation.ts';
import { idThere } from './conversations-there.ts';
import { givenServer } from './given-server.ts';

/** Opens a conversation for reading, in a store or on a server. Rejects `CommandError` and `ConversationError` when there is none. */
export async function readFrom(options: PlaceOptions, id: string): Promise<ReadableConversation> {
  const server = await givenServer(options);
  return server ? await readThere(server, id) : await readConversation(options.store, id);
}

async function readThere(workspace: RemoteWorkspace, id: string): Promise<ReadableConversation> {
  const conversation = await openThere(workspace, id);
  return {
    id: conversation.id,
    state: conversation.state,
    events: conversation.events,
    past: conversation.history,
    get damage() {
      return conversation.damage;
    },
    [Symbol.asyncDispose]: () => conversation.close(),
  };
}

/** A conversation that is on the server. Rejects `CommandError` and `ConversationError` when it is not. */
export async function openThere(workspace: RemoteWorkspace, id: string): Promise<RemoteConversation> {
  const { ConversationThere } = await import('./remote-conversations.ts');
  const conversation = await ConversationThere.resume(await idThere(workspace, id), { workspace });
  return conversation;
}
