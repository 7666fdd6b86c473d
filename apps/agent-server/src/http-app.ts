import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { safeHeaders } from '@conv/server';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';

import type { Configuration } from './configuration/effective-configuration.ts';

/**
 * Makes the HTTP server that routes are registered in. With `port` its routes answer the requests of a server that listens already, from
 * {@link PassedPort.passOn} on.
 */
export function newApp({ serverUrl }: Pick<Configuration, 'serverUrl'>, port?: PassedPort): FastifyInstance {
  return Fastify({
    ...(port ? { serverFactory: (handler: RequestListener) => port.take(handler) } : {}),
    requestTimeout: 0,
    // turn off Fastify's limit of ten seconds: startup and shutdown have limits of their own
    pluginTimeout: 0,
    // in a fleet, a request during shutdown gets an answer that tells its sender what to do
    return503OnClosing: serverUrl === undefined,
    // routes check requests themselves; Fastify would load its compilers of JSON schemas at each start
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    // runs before a route is found; Fastify would repeat the address, which may hold a key
    frameworkErrors: (error, { url }, reply: FastifyReply) =>
      void reply
        .code(error.statusCode ?? 400)
        .headers(safeHeaders(url))
        .send({ detail: 'The path cannot be read' }),
  });
}

/** Refuses a route with a JSON schema of Fastify. */
function withoutSchemas(): never {
  throw new TypeError('expected a route without a JSON schema of Fastify, found one; check the request in the route');
}

/**
 * A port whose requests one instance of Fastify passes on to the next, so that no client finds it closed between them. The second instance never
 * listens, and closes the port only by {@link PassedPort.drained}. Sockets need no passing on: their upgrades are events of the same server.
 */
export class PassedPort {
  readonly #server: Server;
  #next: RequestListener | undefined;
  #passed = false;

  /** @param server the server of the first instance, which listens */
  constructor(server: Server) {
    this.#server = server;
  }

  /** Returns the server for an instance whose handler is to be the next. */
  take(handler: RequestListener): Server {
    this.#next = handler;
    return this.#server;
  }

  /** Lets the handler that was taken last answer from now on. Requests that the one before has begun stay its own. */
  passOn(): void {
    if (!this.#next) return;
    this.#server.removeAllListeners('request');
    this.#server.on('request', this.#next);
    this.#passed = true;
  }

  /**
   * Closes the port and resolves when all of its requests are answered. Fastify does this by itself only for an instance that listens. Before
   * {@link passOn} the port is that of the first instance, stays open, and this resolves at once.
   */
  async drained(): Promise<void> {
    if (this.#passed) await new Promise<void>((done) => this.#server.close(() => done()));
  }
}

/** Listens. Rejects with the reason why it cannot listen at the address, and the setting to change. */
export async function listen(app: FastifyInstance, { host, port }: Configuration): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why = NOT_LISTENING[code];
    throw why === undefined ? error : new Error(`port ${port} of ${host}: ${why}`, { cause: error });
  }
}

const NOT_LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; choose another port with --port or CONV_PORT, or 0 for any free port',
  EACCES: 'this user may not listen there; choose a port from 1024 on with --port or CONV_PORT',
  EADDRNOTAVAIL: 'this machine has no such address; set --host or CONV_HOST to an address of this machine',
  ENOTFOUND: 'the host name is unknown; set --host or CONV_HOST to an address of this machine',
};

/**
 * Returns a function that closes the server, then runs `after`, also if closing fails. Clients with unfinished requests get half of the
 * shutdown time; the rest is for storing. Idempotent.
 */
export function closingOf(
  app: FastifyInstance,
  { shutdownSeconds }: Pick<Configuration, 'shutdownSeconds'>,
  after: () => Promise<void>,
): () => Promise<void> {
  const end = async (): Promise<void> => {
    const cut = setTimeout(() => app.server.closeAllConnections(), shutdownSeconds * 500);
    try {
      await app.close();
    } finally {
      clearTimeout(cut);
      await after();
    }
  };
  let closing: Promise<void> | undefined;
  return () => (closing ??= end());
}

export function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}

export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
