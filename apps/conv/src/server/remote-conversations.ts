import { type ConversationFactory, createConversationFactory } from '@conv/core';
import { remote, type RemoteRuntime } from '@conv/remote';

/** For conversations that a server holds. */
export const onServers: RemoteRuntime = remote();

/** Opens and makes conversations on servers. */
export const ConversationThere: ConversationFactory<
  Parameters<RemoteRuntime['open']>[0],
  Awaited<ReturnType<RemoteRuntime['open']>>
> = createConversationFactory({
  runtimes: [onServers],
});
