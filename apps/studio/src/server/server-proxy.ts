import { type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { createProxyServer } from 'httpxy';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { asProgram, withoutForeign } from './proxied-headers.ts';

/** Options of {@link proxyServer}. */
export interface ServerProxyOptions {
  /** The address of the server, without a slash at its end. */
  readonly url: string;
  /** The key of the server. No page is told it. */
  readonly key: string | undefined;
  /** True if the request may open a socket. */
  readonly admits: (request: IncomingMessage) => Promise<boolean>;
  readonly report: (error: unknown, about: object) => void;
}

/** Paths that tell nothing of conversations; a server answers them without a key. */
const OPEN = ['/alive', '/health', '/ready', '/server_info'];

type Proxy = ReturnType<typeof createProxyServer>;

/**
 * Passes everything that studio does not serve itself to a server, sockets too. Bodies stream both ways at the pace of the slower side,
 * and a browser that leaves ends the request at the server. The key is added here; what the browser showed to studio stays here.
 */
export function proxyServer(app: FastifyInstance, options: ServerProxyOptions): void {
  const { url, key } = options;
  const headers = key === undefined ? {} : { 'x-session-api-key': key };
  const proxy = createProxyServer({ target: url, headers, changeOrigin: true, autoRewrite: true });
  proxy.on('proxyRes', ({ headers: answered }) => withoutForeign(answered));
  proxy.on('error', (error, _request, client) => {
    options.report(error, { doing: 'asking the server' });
    fail(client, url);
  });
  // bodies are passed on, not read
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const pass = (request: FastifyRequest, reply: FastifyReply): Promise<void> => passOn(proxy, request, reply);
  const method = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  for (const path of OPEN) app.get(path, { config: { auth: 'none' } }, pass);
  app.route({ method, url: '/*', bodyLimit: Number.MAX_SAFE_INTEGER, handler: pass });
  passSockets(app, proxy, options);
}

async function passOn(proxy: Proxy, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.hijack();
  // security headers that were set for every answer; the server's own take precedence
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  asProgram(request.raw);
  await proxy.web(request.raw, reply.raw);
}

function passSockets(app: FastifyInstance, proxy: Proxy, { url, admits }: ServerProxyOptions): void {
  const open = new Set<Socket>();
  // the proxy closes neither side when the other side vanishes, which would leak a connection each time
  proxy.on('proxyReqWs', (asked, _request, socket) => {
    socket.once('close', () => asked.destroy());
    asked.once('upgrade', (_answer, upstream) => {
      socket.once('close', () => upstream.destroy());
      upstream.once('close', () => socket.end(() => socket.destroy()));
    });
  });
  const upgrade = async (request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    if (!(request.url ?? '').startsWith('/sockets/') || !(await admits(request))) return refuse(socket);
    // the client may have gone meanwhile
    if (socket.destroyed) return undefined;
    asProgram(request);
    return proxy.ws(request, socket, { target: url }, head);
  };
  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    upgrade(request, socket, head).catch(() => socket.destroy());
  });
  app.addHook('preClose', async () => open.forEach((socket) => socket.destroy()));
}

function refuse(socket: Socket): void {
  const body = JSON.stringify({ detail: 'Forbidden' });
  const head = ['HTTP/1.1 403 Forbidden', 'Connection: close', 'Content-Type: application/json'];
  socket.end(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, () => socket.destroy());
}

/** Answers that the server did not respond, if no answer has begun. */
function fail(client: unknown, url: string): void {
  if (client instanceof Socket) return void client.destroy();
  if (!(client instanceof ServerResponse)) return;
  if (client.headersSent) return void client.destroy();
  const detail = `The server ${url} does not answer; check that it runs. Studio asks it again with the next request.`;
  client.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify({ detail }));
}
