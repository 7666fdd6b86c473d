import { isIP } from 'node:net';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { AccessKeys } from './access-keys.ts';

/** Which pages of other origins may call. Those of this machine always may, on any port. */
export interface CorsOptions {
  /** Origins such as `https://example.org`; `*` is any. */
  readonly origins?: readonly string[];
  /** Has to match a whole origin. */
  readonly originPattern?: RegExp;
  /** Hosts whose pages may call, on any port, beside `localhost` and `127.0.0.1`. */
  readonly hosts?: readonly string[];
}

const METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Seconds for which a browser remembers the answer to a preflight. */
const MAX_AGE = '600';

/** What a page asks for with a cookie, from wherever it is shown. */
const COOKIE_PATHS = /^\/api\/(?:auth\/workspace-session$|conversations\/[^/]+\/workspace(?:\/|$))/;

/**
 * Answers browsers that ask whether a page may call, and tells them so with every answer. It decides what pages may read; who may call
 * is decided by keys. Where none are needed, every page that somebody on this machine looks at could call: those that may not are
 * refused whatever is more than reading, and nothing is answered under a name of the public net that `options` do not have.
 */
export function addCrossOrigin(app: FastifyInstance, options: CorsOptions | undefined, keys: AccessKeys): void {
  const rules = new OriginRules(options);
  app.addHook('onRequest', async (request, reply) => {
    const { origin, host } = request.headers;
    // a page reads what has its own origin without saying so, also when its name was made to lead here
    if (!keys.required && host !== undefined && !rules.mayBeAskedAs(host))
      return reply.code(403).send({ detail: 'Disallowed Host' });
    if (origin === undefined) return;
    const isAllowed = rules.allow(origin, request.url.split('?')[0] as string);
    void reply.header('vary', 'Origin');
    if (isAllowed) allow(reply, origin);
    if (isPreflight(request)) await answerPreflight(request, reply, isAllowed);
    else if (!isAllowed && !keys.required && !READING.has(request.method))
      await reply.code(403).send({ detail: 'Disallowed CORS origin' });
    return undefined;
  });
}

function allow(reply: FastifyReply, origin: string): void {
  void reply.headers({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply, isAllowed: boolean): FastifyReply {
  void reply.type('text/plain; charset=utf-8');
  if (!isAllowed) return reply.code(400).send('Disallowed CORS origin');
  const asked = headers['access-control-request-headers'];
  if (asked !== undefined) void reply.header('access-control-allow-headers', asked);
  void reply.headers({ 'access-control-allow-methods': METHODS, 'access-control-max-age': MAX_AGE });
  return reply.code(200).send('OK');
}

/** Which pages may call. */
export class OriginRules {
  readonly #origins: ReadonlySet<string>;
  readonly #hosts: ReadonlySet<string>;
  readonly #pattern: RegExp | undefined;

  constructor({ origins = [], hosts = [], originPattern }: CorsOptions = {}) {
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
    this.#hosts = new Set(['localhost', '127.0.0.1', ...hosts.map((host) => host.toLowerCase())]);
    this.#pattern =
      originPattern && new RegExp(`^(?:${originPattern.source})$`, originPattern.flags.replace(/[gy]/g, ''));
  }

  /** Whether a page of this origin may ask for this path. */
  allow(origin: string, path: string): boolean {
    if (this.#origins.has('*') || this.#origins.has(origin.toLowerCase()) || this.#pattern?.test(origin)) return true;
    if (!/^https?:\/\/[^\s/?#@]+$/i.test(origin) || !URL.canParse(origin)) return false;
    return this.#hosts.has(new URL(origin).hostname) || COOKIE_PATHS.test(path);
  }

  /** Whether a server that asks for no key may be known by this `Host`: one that nobody else can have a page at. */
  mayBeAskedAs(host: string): boolean {
    if (!URL.canParse(`http://${host}`)) return false;
    const { hostname } = new URL(`http://${host}`);
    // addresses, and names of this machine or of a net of containers
    if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0 || !hostname.includes('.') || hostname.endsWith('.localhost'))
      return true;
    const origins = [`http://${host}`, `https://${host}`];
    return this.#hosts.has(hostname) || origins.some((origin) => this.allow(origin, ''));
  }
}
