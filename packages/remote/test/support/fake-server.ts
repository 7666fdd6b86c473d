import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';

import { keptPort } from '@conv/testing-harness';
import { WebSocketServer, type WebSocket } from 'ws';

import { FakeConversation, type FakeEvent, type FakeTurn } from './fake-conversation.ts';

/** Fault of a request. `lose`: its answer is lost after the server acted; `truncate`: half of the answer comes; `cut`: it never arrives. */
export type RequestFault =
  | 'lose'
  | 'truncate'
  | 'cut'
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };

/** A request as the fake saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** A socket of a client. */
export interface FakeSocket {
  readonly socket: WebSocket;
  /** The number of the connection, from 0. */
  readonly nth: number;
  /** The route of the socket: `session` numbers events, `events` sends them alone. */
  readonly kind: 'session' | 'events';
  readonly query: URLSearchParams;
  /** Sends without a fault. */
  readonly send: (frame: unknown) => void;
}

export interface FakeServerOptions {
  /** Default `1.43.1`. */
  readonly version?: string;
  /** Default: none, as OpenHands' server. */
  readonly capabilities?: readonly string[];
  /** Names of its tools. Default: as OpenHands' server writes the names of two. */
  readonly tools?: readonly string[];
  readonly apiKey?: string;
  /** PEM. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Path that it stands under. */
  readonly prefix?: string;
  /** Turns of the runs, one after the other; the last turn repeats. */
  readonly turns?: readonly FakeTurn[];
  /** Resolves when the agent of an accepted run is ready. Default: it is so at once. */
  readonly ready?: Promise<void>;
  /** Chooses the fault of a request. */
  readonly fault?: (request: SeenRequest) => RequestFault | undefined | Promise<RequestFault | undefined>;
  /** Called with each frame; the default sends it. */
  readonly onFrame?: (frame: unknown, to: FakeSocket) => void;
  /** Default `true`; `false`: its sockets are half open. */
  readonly answersPings?: boolean;
  readonly onSocket?: (socket: FakeSocket) => void;
}

/** A server that speaks the protocol's REST and both sockets over a real port, and fails on demand. */
export class FakeServer {
  readonly requests: SeenRequest[] = [];
  readonly conversations = new Map<string, FakeConversation>();
  readonly sockets = new Set<FakeSocket>();
  options: FakeServerOptions;
  connections = 0;
  readonly #keys = new Map<string, unknown>();
  #server: Server | undefined;
  #port = 0;
  #turn = 0;

  constructor(options: FakeServerOptions = {}) {
    this.options = options;
  }

  get url(): string {
    return `${this.options.tls ? 'https' : 'http'}://127.0.0.1:${this.#port}${this.options.prefix ?? ''}`;
  }

  /** Listens, on the port that it had before if it had one. */
  async start(): Promise<void> {
    const serve = (request: IncomingMessage, response: ServerResponse): void => void this.#serve(request, response);
    const { tls } = this.options;
    const server: Server = tls ? createTlsServer(tls, serve) : createServer(serve);
    const sockets = new WebSocketServer({ noServer: true, autoPong: this.options.answersPings ?? true });
    server.on('upgrade', (request, socket, head) => this.#upgrade(sockets, request, socket, head));
    this.#port ||= await keptPort();
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#server = server;
  }

  /** Is gone at once; what it holds stays. */
  async stop(): Promise<void> {
    for (const { socket } of this.sockets) socket.terminate();
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Returns the number of requests to a route. */
  count(method: string, path: RegExp): number {
    return this.requests.filter((request) => request.method === method && path.test(request.path)).length;
  }

  /** The only conversation. */
  get conversation(): FakeConversation {
    const [first] = this.conversations.values();
    if (!first) throw new Error('there is no conversation');
    return first;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake');
    const path = url.pathname.slice((this.options.prefix ?? '').length);
    const text = await bodyOf(request);
    const json = text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as unknown) : text;
    const seen = { method: request.method ?? '', path, query: url.searchParams, headers: request.headers, body: json };
    this.requests.push(seen);
    const fault = await this.options.fault?.(seen);
    if (fault === 'cut') return void request.socket.destroy();
    const { status, body } = typeof fault === 'object' ? { body: { detail: 'fault' }, ...fault } : this.#answer(seen);
    if (fault === 'lose') return void request.socket.destroy();
    const answer = JSON.stringify(body);
    const length = Buffer.byteLength(answer);
    const more = typeof fault === 'object' ? fault.headers : {};
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...more });
    if (fault !== 'truncate') return void response.end(answer);
    response.write(answer.slice(0, Math.floor(answer.length / 2)), () => request.socket.destroy());
  }

  #answer(request: SeenRequest): { readonly status: number; readonly body: unknown } {
    const { method, path } = request;
    if (path === '/api/tools/') return ok((this.options.tools ?? ['TerminalTool', 'FileEditorTool']) as never);
    if (path === '/server_info')
      return ok({ version: this.options.version ?? '1.43.1', capabilities: this.options.capabilities ?? [] });
    if (path === '/health') return ok({ status: 'ok' });
    const { apiKey } = this.options;
    if (apiKey !== undefined && request.headers['x-session-api-key'] !== apiKey) return fail(401, 'Unauthorized');
    if (path === '/api/conversations' && method === 'POST')
      return this.#create(request.body as Record<string, unknown>);
    const [, id = '', rest = ''] = /^\/api\/conversations\/([^/]+)(.*)$/.exec(path) ?? [];
    const conversation = this.conversations.get(id);
    if (!conversation) return fail(404, 'Not Found');
    return this.#answerItem(conversation, rest, request);
  }

  #create(body: Record<string, unknown>): { readonly status: number; readonly body: unknown } {
    const given = body['conversation_id'];
    const id = typeof given === 'string' ? given : randomUUID();
    const existing = this.conversations.get(id);
    if (existing) return ok(existing.info());
    const storesStatuses = !(this.options.capabilities ?? []).includes('session_socket_v1');
    const conversation = new FakeConversation(id, body, storesStatuses);
    this.conversations.set(id, conversation);
    return { status: 201, body: conversation.info() };
  }

  #answerItem(conversation: FakeConversation, rest: string, request: SeenRequest): { status: number; body: unknown } {
    const body = request.body as Record<string, unknown>;
    switch (`${request.method} ${rest}`) {
      case 'GET ':
        return ok(conversation.info());
      case 'DELETE ':
        this.conversations.delete(conversation.id);
        return ok({ success: true });
      case 'PATCH ':
        if ('title' in body) conversation.title = String(body['title']);
        if ('tags' in body) conversation.tags = body['tags'];
        return ok({ success: true });
      case 'GET /events/search':
        return ok(search(conversation.visible, request.query));
      case 'GET /events/count':
        return ok(filtered(conversation.visible, request.query).length);
      case 'POST /events':
        return this.#send(conversation, request);
      case 'POST /events/respond_to_confirmation':
        if (body['accept'] === true) this.#run(conversation);
        else conversation.reject(String(body['reason']));
        return ok({ success: true });
      case 'POST /run':
        if (conversation.running) return fail(409, 'conversation_already_running');
        this.#run(conversation);
        return ok({ success: true });
      case 'POST /pause':
      case 'POST /interrupt':
        conversation.pause();
        return ok({ success: true });
      case 'POST /confirmation_policy':
        conversation.policy = body['policy'];
        return ok({ success: true });
      case 'POST /security_analyzer':
        conversation.analyzer = body['security_analyzer'];
        return ok({ success: true });
      case 'POST /switch_llm':
        conversation.switchModel(body['llm'] as FakeConversation['agent']['llm']);
        return ok({ success: true });
      case 'POST /navigate':
        conversation.headMoves.push(body['event_id']);
        return ok(conversation.info());
      case 'POST /fork':
        return this.#fork(conversation, String(body['id']));
      case 'POST /ask_agent':
        return ok({ response: 'An aside.' });
      case 'GET /agent_final_response':
        return ok({ response: 'The end.' });
      default:
        return this.#event(conversation, rest);
    }
  }

  #fork(source: FakeConversation, id: string): { status: number; body: unknown } {
    if (this.conversations.has(id)) return fail(409, 'it is there already');
    const fork = source.fork(id);
    this.conversations.set(id, fork);
    return { status: 201, body: fork.info() };
  }

  #event(conversation: FakeConversation, rest: string): { status: number; body: unknown } {
    const [, id] = /^\/events\/([^/]+)$/.exec(rest) ?? [];
    const event = conversation.log.find((one) => one.id === id);
    if (event) return ok({ ...event, critic_result: null });
    return id === undefined ? fail(404, 'Not Found') : fail(500, 'Internal Server Error');
  }

  #send(conversation: FakeConversation, { body, headers }: SeenRequest): { status: number; body: unknown } {
    const key = String(headers['idempotency-key']);
    const keyed = (this.options.capabilities ?? []).includes('idempotency_v1');
    if (keyed && this.#keys.has(key)) return ok(this.#keys.get(key));
    conversation.receive((body as { content: unknown }).content);
    this.#keys.set(key, { success: true });
    return ok({ success: true });
  }

  #run(conversation: FakeConversation): void {
    const { turns = [], ready } = this.options;
    const turn = turns[Math.min(this.#turn++, turns.length - 1)];
    conversation.run(turn ?? ((one) => (one.say('Done.'), 'finished')), ready);
  }

  #upgrade(sockets: WebSocketServer, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // a client that has gone does not end the test
    socket.on('error', () => socket.destroy());
    const url = new URL(request.url ?? '/', 'http://fake');
    const path = url.pathname.slice((this.options.prefix ?? '').length);
    const [, kind, id = ''] = /^\/sockets\/(events|session)\/([^/]+)$/.exec(path) ?? [];
    const { apiKey } = this.options;
    if (apiKey !== undefined && request.headers['x-session-api-key'] !== apiKey)
      return void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
    sockets.handleUpgrade(request, socket, head, (open) => {
      const send = (frame: unknown): void => open.send(JSON.stringify(frame));
      const socketKind = kind === 'session' ? 'session' : 'events';
      const client: FakeSocket = {
        socket: open,
        nth: this.connections++,
        kind: socketKind,
        query: url.searchParams,
        send,
      };
      this.sockets.add(client);
      open.on('close', () => this.sockets.delete(client));
      this.options.onSocket?.(client);
      const conversation = this.conversations.get(id);
      if (!conversation) return open.close(4004, 'Conversation not found');
      if (open.readyState === open.OPEN) this.#follow(conversation, client, kind === 'session');
    });
  }

  #follow(conversation: FakeConversation, client: FakeSocket, numbered: boolean): void {
    const emit = (frame: unknown): void => (this.options.onFrame ?? ((one, to) => to.send(one)))(frame, client);
    const listener = (event: FakeEvent, index: number | undefined): void => {
      if (!numbered) return emit(event);
      emit(index === undefined ? { type: 'transient', event } : { type: 'durable', seq: index, event });
    };
    if (numbered) {
      const after = Number(client.query.get('after_seq') ?? conversation.log.length - 1);
      emit({ type: 'sync', from_seq: after, through_seq: conversation.log.length - 1 });
      conversation.log.forEach((event, seq) => seq > after && emit({ type: 'durable', seq, event }));
    }
    listener(conversation.snapshot(), undefined);
    conversation.listeners.add(listener);
    client.socket.on('close', () => conversation.listeners.delete(listener));
  }
}

function ok(body: unknown): { status: number; body: unknown } {
  return { status: 200, body };
}

function fail(status: number, detail: string): { status: number; body: unknown } {
  return { status, body: { detail } };
}

function filtered(log: readonly FakeEvent[], query: URLSearchParams): readonly FakeEvent[] {
  const [since, before] = [query.get('timestamp__gte'), query.get('timestamp__lt')];
  if (since === null && before === null) return log;
  const timeOf = (event: FakeEvent): string => String(event['timestamp']);
  return log.filter(
    (event) => (since === null || timeOf(event) >= since) && (before === null || timeOf(event) < before),
  );
}

function search(log: readonly FakeEvent[], query: URLSearchParams): unknown {
  const found = filtered(log, query);
  const ordered = query.get('sort_order') === 'TIMESTAMP_DESC' ? found.toReversed() : found;
  const limit = Number(query.get('limit') ?? 100);
  // an unknown cursor starts over, as OpenHands' server does
  const from = Math.max(
    0,
    ordered.findIndex(({ id }) => id === query.get('page_id')),
  );
  return { items: ordered.slice(from, from + limit), next_page_id: ordered[from + limit]?.id ?? null };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
