import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import {
  createServer,
  request as requestHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, isIP, type LookupFunction, type Server as NetServer, type Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';

import { errorText } from '@conv/core';
import { hostAndPort, isPublic, type HostAndPort, type Hosts } from '@conv/egress';

/** Connections of programs at the same time. The system drops more. */
const MOST_CONNECTIONS = 256;
/** Milliseconds in which a host must accept a connection, unless the proxy is made with another limit. */
const LONGEST_CONNECT = 30_000;
/** Refusals that are kept until they are asked for. */
const KEPT = 3;

/** Headers that belong to one connection. https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const OF_CONNECTION =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|expect)$/;

/** An answer of the proxy in place of a host's. */
class ProxyError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * A proxy for programs that reach no network but this, by HTTP and by `CONNECT`. It resolves names itself, and connects to the addresses that it has
 * checked: those of the internet, and others only where they are listed. It keeps and logs nothing but its last refusals.
 */
export class HostProxy {
  readonly #hosts: Hosts;
  readonly #longestConnect: number;
  readonly #server: Server;
  readonly #refusals = new Set<string>();
  readonly #sockets = new Set<Duplex>();

  constructor(hosts: Hosts, longestConnect: number = LONGEST_CONNECT) {
    this.#hosts = hosts;
    this.#longestConnect = longestConnect;
    // a long upload is no slow request
    this.#server = createServer({ requestTimeout: 0 });
    this.#server.maxConnections = MOST_CONNECTIONS;
    // each request has a connection of its own to its host, so many on one would have more than are counted
    this.#server.maxRequestsPerSocket = 1;
    this.#server.on('connection', (socket) => this.#hold(socket));
    this.#server.on('request', (request, response) => void this.#forward(request, response));
    this.#server.on('connect', (request, socket, head) => void this.#tunnel(request, socket, head));
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  /** Accepts the connections of a server that listens already. */
  listen(server: NetServer): void {
    this.#server.listen(server);
    // programs, not their proxy, keep this process alive
    this.#server.unref();
  }

  /** Returns, once, what it has refused since the last call, in parts of a sentence. */
  takeRefusals(): readonly string[] {
    const refusals = [...this.#refusals];
    this.#refusals.clear();
    return refusals;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #tunnel({ url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    // an error also closes the stream
    client.on('error', () => undefined);
    try {
      const target = /:\d+$/.test(url) ? hostAndPort(url) : undefined;
      if (target === undefined) throw new ProxyError(400, `expected CONNECT host:port, found ${url}`);
      const host = await this.#connected(target, true);
      // the client or this proxy may have been closed meanwhile
      if (client.destroyed || !this.#server.listening) return void host.destroy();
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      host.write(head);
      pipeline(client, host, client, () => host.destroy());
    } catch (error) {
      const { status, text } = answerOf(error);
      const about = `Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close`;
      client.end(`HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Not Reached'}\r\n${about}\r\n\r\n${text}`);
      // read the rest, or its connection never ends
      client.resume();
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { url = '', method = 'GET', headers } = request;
      const [, authority = '', path = ''] = /^http:\/\/([^/?#]+)([^#]*)/i.exec(url) ?? [];
      const target = hostAndPort(authority);
      if (target === undefined) throw new ProxyError(400, `expected the address of a page, found ${url}`);
      const socket = await this.#connected(target, false);
      // the client or this proxy may have been closed meanwhile
      if (response.destroyed || !this.#server.listening) return void socket.destroy();
      const options = {
        method,
        createConnection: () => socket,
        path: path.startsWith('/') ? path : `/${path}`,
        headers: { ...kept(request.headersDistinct), ...lengthOf(headers), host: authority },
      };
      const asked = requestHttp(options, (answer) => pass(answer, response));
      asked.on('upgrade', () => {
        socket.destroy();
        refuse(response, new Error('expected an answer by HTTP, found another protocol'));
      });
      // it also comes after the request was written, when the pipeline has ended
      asked.on('error', (error) => refuse(response, error));
      pipeline(request, asked, () => undefined);
      response.once('close', () => asked.destroy());
    } catch (error) {
      refuse(response, error);
    }
  }

  /** Resolves with a lookup of the checked addresses of a host. Rejects {@link ProxyError} for a host that programs do not reach. */
  async #lookupOf(target: HostAndPort): Promise<LookupFunction> {
    const { host, port } = target;
    if (!this.#hosts.allows(target))
      throw this.#refused(`${host}:${port} is none of the hosts that commands reach: ${this.#hosts.inWords}`);
    if (isIP(host) !== 0) return lookupOf([]);
    const found = await lookup(host, { all: true }).catch((cause: unknown) => {
      throw new ProxyError(502, `${host} was not found: ${errorText(cause)}`);
    });
    const checked = found.filter(({ address }) => isPublic(address) || this.#hosts.allows({ host: address, port }));
    if (checked.length > 0) return lookupOf(checked);
    const addresses = found.map(({ address }) => address).join(', ');
    const text = `${host}:${port} leads to ${addresses}, of this machine or a private network, and such an address must be listed itself`;
    throw this.#refused(text);
  }

  #refused(text: string): ProxyError {
    this.#refusals.delete(text);
    this.#refusals.add(text);
    const [oldest] = this.#refusals;
    if (oldest !== undefined && this.#refusals.size > KEPT) this.#refusals.delete(oldest);
    return new ProxyError(403, `${text}; ${WIDENED}`);
  }

  /** Resolves with a connection to a checked address of a host. Rejects {@link ProxyError} if the host accepts none in time. */
  async #connected({ host, port }: HostAndPort, allowHalfOpen: boolean): Promise<Socket> {
    const checked = await this.#lookupOf({ host, port });
    const timeout = this.#longestConnect;
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const socket = connect({ host, port, lookup: checked, allowHalfOpen, timeout });
    this.#hold(socket);
    socket.once('timeout', () => socket.destroy(new Error(`no answer in ${timeout / 1000} s`)));
    socket.on('error', (cause) => reject(new ProxyError(502, `${host}:${port} was not reached: ${errorText(cause)}`)));
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    return promise;
  }

  #hold(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** The way to reach more hosts, in part of a sentence for the model. */
export const WIDENED = 'a person can list more hosts with the option --sandbox-host';

function lookupOf(addresses: readonly LookupAddress[]): LookupFunction {
  return (_, { all }, callback) => {
    const [first = { address: '', family: 4 }] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** Passes on the answer of a host, which may hold anything. */
function pass(answer: IncomingMessage, response: ServerResponse): void {
  try {
    response.writeHead(answer.statusCode ?? 502, { ...kept(answer.headersDistinct), connection: 'close' });
    pipeline(answer, response, () => undefined);
  } catch (error) {
    answer.destroy();
    refuse(response, error);
  }
}

/** Answers in place of a host, unless it has answered. A begun answer is broken off. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.writableEnded || response.destroyed) return;
  const { status, text } = answerOf(error);
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(text);
}

function answerOf(error: unknown): { readonly status: number; readonly text: string } {
  const status = error instanceof ProxyError ? error.status : 502;
  return { status, text: `The sandbox: ${errorText(error)}.\n` };
}

function kept(headers: NodeJS.Dict<string[]>): Record<string, string[]> {
  const entries = Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name));
  return Object.fromEntries(entries.map(([name, values = []]) => [name, values]));
}

/** The header by which a host knows where the body ends. */
function lengthOf(headers: IncomingMessage['headers']): Record<string, string> {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined) return { 'transfer-encoding': 'chunked' };
  return length === undefined ? {} : { 'content-length': length };
}
