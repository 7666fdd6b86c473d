import { type ConversationFactory, createConversationFactory } from '@conv/core';
import { remote, type RemoteRuntime } from '@conv/remote';

/** For conversations that a server holds. */
export const onServers: RemoteRuntime = remote();

/** Opens and makes conversations on servers. */
export const ConversationThere: ConversationFactory<readonly [RemoteRuntime]> = createConversationFactory({
  runtimes: [onServers],
});
