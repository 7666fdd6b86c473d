import type { Platform } from '@conv/core/platform';

import { Peers } from '../ownership/peers.ts';
import { RelayedAnswers, type RunPlace } from './relayed-answers.ts';
import { ForeignConversation, type ForeignConversationDeps } from './foreign-conversation.ts';
import type { HostedConversation } from './hosted-conversation.ts';
import type { LiveConversation } from './live-conversation.ts';
import type { Lease } from './loaded-conversations.ts';
import type { HostOptions } from './host-options.ts';
import type { StoredConversation } from './stored-conversation.ts';

export interface FollowDeps {
  readonly platform: Platform;
  readonly options: Pick<HostOptions, 'fleet'>;
  /** Resolves with the current number of durable events. Rejects `ConversationError`. */
  readonly eventsNow: () => Promise<number>;
  /** The owner at the time of the request. */
  readonly owner?: string | undefined;
  /** Returns the current owner, as far as known. */
  readonly ownerNow: () => string | undefined;
  /** Returns the conversation if it is in this process by now. */
  readonly here: () => HostedConversation | undefined;
  readonly report: (error: unknown, about: { readonly conversationId: string; readonly doing: string }) => void;
}

/** Follows a conversation that another process writes: its log, and in a fleet the owner for answers that are arriving. */
export function followForeign(stored: StoredConversation, deps: FollowDeps): Lease<LiveConversation> {
  const { id } = stored;
  const relay = relayOf(deps);
  const conversation = new ForeignConversation({
    ...stored,
    eventsNow: deps.eventsNow,
    ...(relay ? { relay } : {}),
  });
  const about = { doing: 'following', conversationId: id };
  const release = (): void => void conversation.close().catch((error: unknown) => deps.report(error, about));
  return { conversation, release, [Symbol.dispose]: release };
}

function relayOf({
  platform,
  options: { fleet },
  here,
  ownerNow,
  ...deps
}: FollowDeps): ForeignConversationDeps['relay'] {
  if (!fleet) return undefined;
  const peers = new Peers(fleet, platform);
  let { owner } = deps;
  const place = (): RunPlace | undefined => {
    const conversation = here();
    if (conversation) return { conversation };
    owner = ownerNow() ?? owner;
    return owner === undefined || owner === fleet.url || !peers.lists(owner) ? undefined : { url: owner };
  };
  return (conversation, told) => new RelayedAnswers({ platform, conversation, told, place, peers });
}
