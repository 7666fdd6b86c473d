import { Readable } from 'node:stream';

import { eventRoutes } from '@conv/openhands/rest';
import type { Platform } from '@conv/core/platform';
import { toEventIndex } from '@conv/core/store';
import { numbered, turnStart } from '@conv/turns';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { checkStillValid, stillValid } from '../auth/caller.ts';
import { refusalFor, type Caller } from '../auth/principal.ts';
import { rightsEnded, type NeededRights } from '../auth/rights-ended.ts';
import { sessionKeyOf } from '../auth/route-auth.ts';
import type { SessionTickets, TicketLimits } from '../auth/session-tickets.ts';
import { conversationNotFound } from '../hosting/conversation-not-found.ts';
import type { LiveConversation } from '../hosting/live-conversation.ts';
import { answerClosed } from '../http/answer-closed.ts';
import { ApiError } from '../http/api-error.ts';
import { clientGone } from '../http/client-gone.ts';
import { FrameAnswer } from '../http/frame-answer.ts';
import { serveRoute } from '../http/serve-route.ts';
import { EventStream } from '../sockets/event-stream.ts';
import type { FeedLease, FeedRegistry } from '../sockets/feed-registry.ts';
import { MAX_SOCKETS } from '../sockets/open-feed.ts';

/** A ticket opens a stream within a minute; a page with many streams takes no tickets of other keys. */
export const STREAM_TICKETS: TicketLimits = { valid: 60_000, most: 10_000, mostOfKey: 1000 };

export interface StreamDeps {
  readonly platform: Platform;
  readonly feeds: FeedRegistry;
  readonly tickets: SessionTickets;
  /** True if the caller may know the conversation. */
  readonly knows: (caller: Caller, conversationId: string) => Promise<boolean>;
}

/** Serves conversations to clients without sockets: as server-sent events, and by requests that wait for the next events. */
export function serveStreams(app: FastifyInstance, deps: StreamDeps): void {
  const { platform, feeds, tickets } = deps;
  serveRoute(app, eventRoutes.follow, async ({ params, query, request, reply }) => {
    const lease = await open(feeds, params.conversation_id);
    const closed = answerClosed(reply);
    closed.addEventListener('abort', () => lease[Symbol.dispose](), { once: true });
    try {
      const from = await firstAfter(lease.feed.conversation, lastEventId(request) ?? query.after);
      if (closed.aborted) {
        lease[Symbol.dispose]();
        return Readable.from([]);
      }
      void reply.headers({ 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' });
      const ended = AbortSignal.any([lease.feed.conversation.ended, closed]);
      const follow = query.follow && request.method !== 'HEAD';
      const answer = new FrameAnswer(new EventStream(lease.feed, { from, ended, follow }));
      const rights = rightsEnded(() => stillValid(request), closed, follows(params.conversation_id, deps));
      // cut off: an end would look as if the server had no more to tell
      rights.addEventListener('abort', () => answer.destroy(new ApiError(401, 'Unauthorized')), { once: true });
      return answer;
    } catch (error) {
      lease[Symbol.dispose]();
      throw error;
    }
  });
  serveRoute(app, eventRoutes.poll, async ({ params, query: { after, limit, wait }, request, reply }) => {
    using lease = await open(feeds, params.conversation_id);
    const { conversation } = lease.feed;
    const from = await firstAfter(conversation, after);
    const answered = new AbortController();
    const rights = rightsEnded(() => stillValid(request), answered.signal, follows(params.conversation_id, deps));
    const ended = AbortSignal.any([conversation.ended, clientGone(reply), rights]);
    await eventsFrom(conversation, from, { wait: wait * 1000, platform, signal: ended });
    answered.abort();
    await checkRights(request, params.conversation_id, deps);
    const { length } = conversation.events;
    // the cursor of a conversation that has ended here may be ahead
    const to = Math.max(from, Math.min(from + limit, length));
    const events = (await numbered(conversation.events, from, to)).map(({ event, index: seq }) => ({ seq, event }));
    return { events, after: to - 1, has_more: to < length };
  });
  serveRoute(app, eventRoutes.ticket, ({ request }) => {
    const key = sessionKeyOf(request);
    if (key === undefined)
      throw new ApiError(
        409,
        'Expected a key in X-Session-API-Key, found none; the session cookie opens streams itself',
      );
    return { ticket: tickets.issue(key), expires_in: STREAM_TICKETS.valid / 1000 };
  });
}

async function open(feeds: FeedRegistry, id: string): Promise<FeedLease> {
  const lease = await feeds.open(id);
  if (lease.feed.size < MAX_SOCKETS) return lease;
  lease[Symbol.dispose]();
  throw new ApiError(503, `${MAX_SOCKETS} clients follow this conversation; try again later`);
}

/**
 * Resolves with the number of the first event to send. Rejects {@link ApiError} 409 for a cursor beyond the end of the log. A conversation that has ended here
 * may have gone on elsewhere, so its client keeps the cursor, and comes back with it.
 */
async function firstAfter(conversation: LiveConversation, after: number | null): Promise<number> {
  const { events } = conversation;
  if (after === null) return turnStart(events);
  // a client that comes from another server may know newer events than this server has read
  if (after >= events.length) await conversation.refresh();
  if (after < events.length || conversation.ending.isOver) return after + 1;
  throw new ApiError(
    409,
    `Expected an event up to ${events.length - 1} in after, found ${after}: the log ends before; ask again without after`,
  );
}

/** Resolves when there is an event with this number or a later one, or the time is up, or the signal is aborted. */
async function eventsFrom(
  conversation: LiveConversation,
  from: number,
  { wait, platform, signal }: { readonly wait: number; readonly platform: Platform; readonly signal: AbortSignal },
): Promise<void> {
  // a conversation that has ended may be closed, and then takes no subscription
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  const subscription = conversation.subscribe({ onEvent: () => resolve() }, { from: toEventIndex(from) });
  const timer = platform.setTimer(wait, resolve, { background: true });
  await promise;
  timer.cancel();
  subscription.unsubscribe();
}

function lastEventId({ headers }: FastifyRequest): number | undefined {
  const given = [headers['last-event-id']].flat()[0];
  return given !== undefined && /^\d{1,15}$/.test(given) ? Number(given) : undefined;
}

/** Returns what a client needs to follow a conversation. */
function follows(id: string, { platform, knows }: StreamDeps): NeededRights {
  return { platform, scope: eventRoutes.follow.scope, knows: (caller) => knows(caller, id) };
}

/** Rejects {@link ApiError} 401, 403 or 404 if the client has lost its rights since it asked. */
async function checkRights(request: FastifyRequest, id: string, { knows }: StreamDeps): Promise<void> {
  const caller = await checkStillValid(request);
  const refusal = refusalFor(caller, eventRoutes.poll.scope);
  if (refusal !== undefined) throw new ApiError(403, refusal);
  if (!(await knows(caller, id))) throw conversationNotFound(id);
}
