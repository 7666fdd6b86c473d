import type { Route } from '@conv/openhands/rest';

import { ApiError, toApiError, type RefusalTexts } from '../http/api-error.ts';
import { limitRefusalFor, refusalFor, type Caller, type NeededScope } from './principal.ts';

/** A use of a route, as far as it decides who may make it. */
export interface RouteUse {
  readonly scope: NeededScope;
  /** The conversation that it is about. Default: none. */
  readonly conversationId?: string | undefined;
  /** True for a route about all conversations. Default `false`. */
  readonly allConversations?: Route['allConversations'];
  /** The route's texts for missing conversations. */
  readonly texts?: RefusalTexts | undefined;
}

/** Rejects `NOT_FOUND` for a conversation that the caller may not know. */
export type CheckKnown = (caller: Caller, conversationId: string) => Promise<void>;

/**
 * Decides who may use a route, over a connection and inside the server. Rejects {@link ApiError} 404, with the route's words, for a conversation that the
 * caller may not know, as for an unknown id; then 403 for a caller without the scopes of the route.
 * @param checkKnown default: all conversations are known to all callers
 */
export async function checkRights(
  caller: Caller,
  { scope, conversationId, allConversations, texts }: RouteUse,
  checkKnown?: CheckKnown,
): Promise<void> {
  if (caller.limits && conversationId !== undefined && checkKnown)
    await checkKnown(caller, conversationId).catch((error: unknown) => {
      throw toApiError(error, texts);
    });
  const refusal = refusalFor(caller, scope) ?? (allConversations === true ? limitRefusalFor(caller) : undefined);
  if (refusal !== undefined) throw new ApiError(403, refusal);
}
