import type { AddressInfo } from 'node:net';

import { framesOf } from '@conv/turns';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Caller } from '../auth/principal.ts';
import { rightsEnded } from '../auth/rights-ended.ts';
import { VOUCHER_HEADER, type Vouchers } from '../auth/vouchers.ts';
import type { KnownConversations } from '../conversations/known-conversations.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { answerClosed } from '../http/answer-closed.ts';
import { ApiError, toApiError } from '../http/api-error.ts';
import { FrameAnswer } from '../http/frame-answer.ts';
import type { NewConversationDeps } from '../protocols/new-conversation-options.ts';
import { Sender, SENDER_HEADER, type Senders } from '../protocols/senders.ts';
import type { Receivers } from '../receivers/receivers.ts';
import { ServedConversations } from '../protocols/served-conversations.ts';
import type { CallerConversations, ProtocolHandler, ServedProtocol } from '../protocols/served-protocol.ts';

export interface ProtocolsDeps extends NewConversationDeps {
  readonly host: ConversationHost;
  readonly known: KnownConversations;
  readonly vouchers: Vouchers;
  readonly senders: Senders;
  /** Default: protocols have no receivers. */
  readonly receivers?: Pick<Receivers, 'of'> | undefined;
}

/**
 * Serves protocols of adapters beside the routes of the server: with its keys, scopes and limits, and with bodies as they came, so that a handler
 * refuses bad input in its own form. A handler is made for the first request. Answers end when their client has lost its rights, and when the server
 * closes; runs go on.
 */
export function serveProtocols(app: FastifyInstance, protocols: readonly ServedProtocol[], deps: ProtocolsDeps): void {
  if ('setSecureContext' in app.server)
    throw new TypeError('agentServer: protocols: expected a server of plain HTTP behind its proxy, found one of HTTPS');
  const { senders, receivers } = deps;
  const conversations = new ServedConversations({
    ...deps,
    address: () => `http://${hostOf(app)}${app.prefix}`,
  });
  const handlers = new Handlers(conversations, receivers);
  const closing = new AbortController();
  app.addHook('preClose', async () => {
    closing.abort();
    await handlers.close();
    await conversations.close();
  });
  void app.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) => body);
    for (const protocol of protocols) {
      for (const url of protocol.paths)
        raw.route({
          method: ['GET', 'POST', 'DELETE'],
          url,
          config: { auth: 'protocol', scope: 'read' },
          handler: async (request, reply) => {
            const sender = new Sender(request, answerClosed(reply));
            const ends = { lost: lostBy(sender, deps), closing: closing.signal };
            const handler = await handlers.of(protocol);
            const response = await answer(handler, request, { ...ends, sender, headers: senders.enter(sender) });
            // however the handler ends its answer then, the client must not take it for the whole
            const cut = (): void => void reply.raw.destroy();
            if (ends.lost.aborted) cut();
            else ends.lost.addEventListener('abort', cut, { once: true });
            return sent(response, reply);
          },
        });
      for (const url of protocol.openPaths ?? [])
        raw.get(url, { config: { auth: 'none' } }, async (request) =>
          (await handlers.of(protocol))(requestOf(request, {}, closing.signal)),
        );
    }
  });
}

/** Handlers of protocols, each made when it is needed first. */
class Handlers {
  readonly #conversations: CallerConversations;
  readonly #receivers: ProtocolsDeps['receivers'];
  readonly #made = new Map<ServedProtocol, Promise<ProtocolHandler>>();

  constructor(conversations: CallerConversations, receivers: ProtocolsDeps['receivers']) {
    this.#conversations = conversations;
    this.#receivers = receivers;
  }

  of(protocol: ServedProtocol): Promise<ProtocolHandler> {
    const known = this.#made.get(protocol);
    if (known) return known;
    const receivers = protocol.nextMessage && this.#receivers?.of(protocol.name);
    const given = { ...this.#conversations, ...(receivers ? { receivers } : {}) };
    const making = (async () => protocol.handler(given))();
    this.#made.set(protocol, making);
    // what failed once is tried again
    making.catch(() => this.#made.delete(protocol));
    return making;
  }

  async close(): Promise<void> {
    for (const { close } of this.#made.keys()) await close?.();
  }
}

interface Answering {
  readonly sender: Sender;
  /** The header by which the handler's request is known again. */
  readonly headers: Readonly<Record<string, string>>;
  readonly lost: AbortSignal;
  readonly closing: AbortSignal;
}

/** Returns an answer as it is sent: frames of server-sent events go to the connection without a body in between. */
function sent(response: Response, reply: FastifyReply): Response | FrameAnswer {
  const frames = framesOf(response);
  if (!frames) return response;
  void reply.code(response.status).headers(Object.fromEntries(response.headers));
  return new FrameAnswer(frames);
}

/** Resolves with the answer of a handler. An answer that was ended before it began says why. */
async function answer(
  handler: ProtocolHandler,
  request: FastifyRequest,
  { sender, headers, lost, closing }: Answering,
): Promise<Response> {
  const signal = AbortSignal.any([sender.answered, lost, closing]);
  try {
    const response = await handler(requestOf(request, headers, signal));
    if (lost.aborted) await response.body?.cancel().catch(() => {});
    lost.throwIfAborted();
    return response;
  } catch (error) {
    if (!signal.aborted) throw error;
    if (sender.cut.aborted) throw toApiError(sender.cut.reason);
    if (lost.aborted) throw new ApiError(401, 'Unauthorized', { cause: error });
    throw new ApiError(closing.aborted ? 503 : 499, 'The answer was ended; ask again', { cause: error });
  }
}

/** Returns a signal that is aborted when a sender may not have its answer any more. */
function lostBy(sender: Sender, { host, known }: ProtocolsDeps): AbortSignal {
  const knows = async (caller: Caller): Promise<boolean> => {
    for (const id of sender.opened) if (!(await known.knows(caller, id))) return false;
    return true;
  };
  const rights = rightsEnded(() => sender.rights(), sender.answered, { platform: host.platform, scope: 'read', knows });
  return AbortSignal.any([rights, sender.cut]);
}

/** Returns a request as handlers take it. Clients cannot send the headers that this server gives it. */
function requestOf(
  { method, url, headers: given, body }: FastifyRequest,
  more: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Request {
  const scheme = given['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const base = `${scheme}://${given.host ?? ''}`;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !OWN_HEADERS.has(name))
      headers[name] = typeof value === 'string' ? value : value.join(', ');
  Object.assign(headers, more);
  const sent = body instanceof Uint8Array && method === 'POST' ? { body: new Uint8Array(body) } : {};
  // a client may name another server in the target of its request, and its host alone is asked for
  const path = url.replace(/^https?:\/\/[^/?]*/i, '').replace(/^(?!\/)/, '/');
  return new Request((URL.canParse(base) ? base : 'http://localhost') + path, {
    method,
    headers,
    signal,
    ...sent,
  });
}

const OWN_HEADERS: ReadonlySet<string> = new Set([SENDER_HEADER, VOUCHER_HEADER]);

/** Returns the host and port by which a server reaches itself. */
function hostOf({ server }: FastifyInstance): string {
  const address = server.address() as AddressInfo | string | null;
  if (address === null || typeof address === 'string')
    throw new Error(`expected a server that listens at a port, found ${address ?? 'one that does not listen'}`);
  const { address: ip, port, family } = address;
  const own = ip === '0.0.0.0' ? '127.0.0.1' : ip === '::' ? '::1' : ip;
  return family === 'IPv6' ? `[${own}]:${port}` : `${own}:${port}`;
}
