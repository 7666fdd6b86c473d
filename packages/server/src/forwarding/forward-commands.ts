import type { IncomingHttpHeaders } from 'node:http';
import { conversationRoutes, IDEMPOTENCY_KEY_HEADER, NOT_BEGUN_HEADER, type Route } from '@conv/openhands/rest';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';

import { callerOf } from '../auth/caller.ts';
import { clientGone } from '../http/client-gone.ts';
import { ApiError } from '../http/api-error.ts';
import { rawBodyOf } from '../http/read-json.ts';
import { executeOnOwner, type ExecuteOnOwnerDeps } from './execute-on-owner.ts';
import { refusalIn } from '../ownership/owner-refusal.ts';
import type { OwnerAnswer, OwnerOutcome, OwnerRequests } from './owner-requests.ts';
import { FORWARDED_BY_HEADER, type Peers } from '../ownership/peers.ts';
import { passedBack, passedOn } from './passed-headers.ts';
import { isServerClosing } from '../ownership/server-closing-error.ts';

export interface ForwardingDeps extends ExecuteOnOwnerDeps {
  readonly peers: Peers;
  readonly requests: OwnerRequests;
}

const forwarded = new WeakSet<FastifyRequest>();

/** True if another server answered the request. */
export function wasForwarded(request: FastifyRequest): boolean {
  return forwarded.has(request);
}

/** Methods whose requests may be repeated as they are. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/**
 * Makes the owner of a conversation serve every route about it. The request is forwarded as it came, and the owner's answer is
 * returned as it comes. A forwarded request is not forwarded again. Called before the routes are served.
 */
export function forwardCommands(app: FastifyInstance, deps: ForwardingDeps): void {
  app.addHook('onRoute', (route) => {
    const { route: described } = route.config ?? {};
    if (!described || !isAboutConversation(described)) return;
    const here: RouteHandlerMethod = route.handler;
    route.handler = async (request, reply) => {
      const handle = async (): Promise<void> => void (await here.call(app, request, reply));
      if (request.headers[FORWARDED_BY_HEADER.toLowerCase()] !== undefined) await refusing(reply, handle);
      else await forwarding({ app, route: described, request, reply, handle }, deps);
      return reply;
    };
  });
}

/** A request of a client, and how it is served in this process. */
interface Served {
  readonly app: FastifyInstance;
  readonly route: Route;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly handle: () => Promise<void>;
}

/** Serves conversations of this process only. The answer's header tells the forwarding server if the command was not begun. */
async function refusing(reply: FastifyReply, handle: () => Promise<void>): Promise<void> {
  try {
    await handle();
  } catch (error) {
    const refusal = refusalIn(error);
    // taken over while the command was at work
    if (refusal && !refusal.owner)
      throw new ApiError(503, 'taken over by another server; read the conversation before you repeat it', {
        cause: error,
      });
    if (isServerClosing(error)) void reply.header(NOT_BEGUN_HEADER, 'closing');
    else if (refusal) void reply.header(NOT_BEGUN_HEADER, 'not-owner');
    throw error;
  }
}

async function forwarding({ app, route, request, reply, handle }: Served, deps: ForwardingDeps): Promise<void> {
  const repeatable = isRepeatable(route, request);
  let mayBeDone = false;
  const there = async (owner: string, signal: AbortSignal): Promise<OwnerOutcome<void>> => {
    const outcome = await deps.requests.send(
      owner,
      {
        method: request.method,
        path: pathOf(request).slice(app.prefix.length),
        headers: passedOn(request.headers),
        body: rawBodyOf(request),
        repeatable,
        caller: callerOf(request),
      },
      signal,
    );
    if ('answer' in outcome) return { answer: await handBack(outcome.answer, reply, mayBeDone) };
    mayBeDone ||= outcome.begun;
    return outcome;
  };
  const here = async (): Promise<void> => {
    try {
      await handle();
    } catch (error) {
      if (isServerClosing(error)) void reply.header(NOT_BEGUN_HEADER, 'closing');
      if (!(mayBeDone && request.method === 'DELETE' && isMissing(error))) throw error;
      sayDeleted(reply);
    }
  };
  await executeOnOwner({ repeatable, signal: clientGone(reply), here, there }, deps);
}

/**
 * Sends the owner's answer to the client unchanged. If a try whose answer was lost may have deleted the conversation, a 404
 * counts as its deletion.
 */
async function handBack(
  { status, headers, body }: OwnerAnswer,
  reply: FastifyReply,
  mayBeDone: boolean,
): Promise<void> {
  if (mayBeDone && reply.request.method === 'DELETE' && status === 404) {
    await body.dump();
    return sayDeleted(reply);
  }
  forwarded.add(reply.request);
  void reply.code(status).headers(passedBack(headers));
  if (status !== 204 && status !== 304) return void reply.send(body);
  await body.dump();
  void reply.send();
}

function sayDeleted(reply: FastifyReply): void {
  void reply.code(200).send({ success: true });
}

/** Returns the path with the query. A request may name its host, too (RFC 9112, 3.2.2), and the owner has another host. */
function pathOf({ url }: FastifyRequest): string {
  return url.replace(/^https?:\/\/[^/]*/i, '');
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function isAboutConversation({ path, operationId }: Route): boolean {
  return path.includes('{conversation_id}') || operationId === conversationRoutes.start.operationId;
}

function isRepeatable(route: Route, { method, headers }: { method: string; headers: IncomingHttpHeaders }): boolean {
  const key = headers[IDEMPOTENCY_KEY_HEADER.toLowerCase()];
  return REPEATABLE.has(method) || (route.idempotencyKey === true && key !== undefined && key !== '');
}
