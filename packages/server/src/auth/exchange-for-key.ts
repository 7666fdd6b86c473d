import type { FastifyReply, FastifyRequest } from 'fastify';

import { ApiError } from '../http/api-error.ts';
import type { AccessKeys } from './access-keys.ts';
import { addressOf } from './caller.ts';
import type { GuessLimit } from './guess-limit.ts';
import type { SessionTickets } from './session-tickets.ts';

/** Dependencies of the exchange of a key or a ticket for a session cookie. */
export interface ExchangeDeps {
  readonly keys: AccessKeys;
  readonly guesses: GuessLimit;
  readonly tickets: SessionTickets;
}

/**
 * Resolves with the valid key that a browser sent, or the key of its ticket. Counts wrong guesses.
 *
 * Rejects {@link ApiError} 403 for a key that is not exchanged for cookies; 401 for a wrong key, and for a wrong, used or old ticket; 429 while the address has to wait.
 */
export async function exchangeForKey(
  shown: { readonly ticket: string } | { readonly key: string },
  request: FastifyRequest,
  reply: FastifyReply,
  { keys, guesses, tickets }: ExchangeDeps,
): Promise<string> {
  const address = addressOf(request.raw);
  const wait = guesses.wait(address);
  if (wait > 0) {
    void reply.header('retry-after', wait);
    throw new ApiError(429, 'Too many wrong keys; try again after the seconds in Retry-After');
  }
  const key = 'ticket' in shown ? tickets.redeem(shown.ticket) : shown.key;
  if (key === undefined || (await keys.of(key)) === undefined) {
    guesses.wrong(address, 'ticket' in shown ? shown.ticket : shown.key);
    throw new ApiError(401, 'ticket' in shown ? NO_TICKET : 'Unauthorized');
  }
  guesses.right(address);
  if (!keys.givesCookie(key)) throw new ApiError(403, NO_COOKIE);
  return key;
}

const NO_COOKIE = 'This key opens no session of a browser; send it with each request in X-Session-API-Key';

const NO_TICKET =
  'The start link was used before or is older than ten minutes; enter the key, or restart the server for a new link';
