import { ConversationError, isConversationError } from '@conv/core';
import { STATUS_CODES } from '@conv/openhands/rest';

import { ApiError, toApiError } from '../http/api-error.ts';

interface Refused {
  readonly conversationId: string;
  /** Receives failures of the server itself. */
  readonly report: (error: unknown) => void;
}

/**
 * Resolves as the work of a route does. Rejects `ConversationError` as a client of the route is told: refusals by their status, and a failure of the
 * server, which is reported, without what failed.
 */
export async function refusedAsClient<T>(work: () => Promise<T>, { conversationId, report }: Refused): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = toApiError(error);
    const isRefusal = known instanceof ApiError && known.status < 500;
    if (isConversationError(error) && (isRefusal || error.code === 'CLOSED')) throw error;
    if (isRefusal)
      throw new ConversationError(STATUS_CODES[known.status] ?? 'SERVER_FAILED', textOf(known), {
        conversationId,
        cause: error,
      });
    report(error);
    throw new ConversationError('SERVER_FAILED', 'the server could not do what it was asked for; see its log', {
      conversationId,
    });
  }
}

/** Returns the explanation of a refusal, without the input that it may repeat. */
function textOf({ detail, message }: ApiError): string {
  if (!Array.isArray(detail)) return message;
  return (detail as readonly { readonly loc?: unknown; readonly msg?: unknown }[])
    .map(({ loc, msg }) => [...(Array.isArray(loc) ? [loc.join('.')] : []), String(msg)].join(': '))
    .join('; ');
}
