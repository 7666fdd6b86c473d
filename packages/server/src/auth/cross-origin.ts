import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { readPath } from '../http/read-path.ts';
import type { AccessKeys } from './access-keys.ts';
import { isOwnOrigin, isOwnPage } from './own-page.ts';

/** The pages of other origins that may call the server. If keys are needed, pages of this machine may call too, from any port. */
export interface CorsOptions {
  /** Origins such as `https://example.org`; `*` is any. */
  readonly origins?: readonly string[];
  /** Pattern that has to match a whole origin. */
  readonly originPattern?: RegExp;
  /** Hosts whose pages may call, on any port, beside `localhost` and `127.0.0.1`. */
  readonly hosts?: readonly string[];
  /** True to refuse requests under other host names even with a key, against DNS rebinding. Default `false`. */
  readonly checkHost?: boolean;
}

const METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

/** Seconds for which a browser remembers the answer to a preflight. */
const MAX_AGE = '600';

/** Paths that a page requests with a cookie, also from an embedded frame. */
const COOKIE_PATHS = /^\/api\/(?:auth\/workspace-session$|conversations\/[^/]+\/workspace(?:\/|$))/;

/** Paths that a page may request only if its origin is allowed to call. Browsers come to the callback from authorization servers. */
const GUARDED = /^\/(?:api|v1|mcp(?!\/callback$)|metrics|sockets)(?:\/|$)/;

/**
 * Answers preflight requests, and adds CORS headers to every answer. CORS decides which pages may read; keys decide which clients
 * may call. Requests that a browser attributes to another origin are refused unless that origin may call. This includes reads,
 * because images and links send no `Origin`. Without a key, any page open in a browser on this machine could call. Then only the
 * server's own pages and pages that `options` names may call. Requests under a host name that another party controls are refused
 * too.
 */
export function addCrossOrigin(app: FastifyInstance, options: CorsOptions | undefined, keys: AccessKeys): void {
  const rules = new OriginRules(options, keys.required);
  app.addHook('onRequest', async (request, reply) => {
    const { headers } = request;
    const { origin, host } = headers;
    const path = readPath(request, app);
    // a page sends no `Origin` when it reads from its own origin, even if its host name was rebound to this server
    if (rules.checksHost && host !== undefined && !rules.mayBeAskedAs(host))
      return reply.code(403).send({ detail: 'Disallowed Host; add it to the CORS origins of the server' });
    if (origin === undefined) {
      if (isOwnPage(headers) || !GUARDED.test(path) || (keys.required && COOKIE_PATHS.test(path))) return undefined;
      return reply
        .code(403)
        .send({ detail: 'Disallowed cross-site request; use a page of this server, or fetch with CORS' });
    }
    const isAllowed = rules.allow(origin, path) || isOwnOrigin(origin, headers);
    void reply.header('vary', 'Origin');
    if (isAllowed) allow(reply, origin);
    if (isPreflight(request)) await answerPreflight(request, reply, isAllowed);
    else if (!isAllowed && !keys.required && GUARDED.test(path))
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

/** Pages that may call. */
export class OriginRules {
  readonly #origins: ReadonlySet<string>;
  /** Host names under which the server may be addressed. */
  readonly #hosts: ReadonlySet<string>;
  /** Hosts whose pages may call. */
  readonly #pageHosts: ReadonlySet<string>;
  readonly #pattern: RegExp | undefined;
  readonly #keysNeeded: boolean;
  /** True if requests under host names of others are refused. */
  readonly checksHost: boolean;

  /** @param keysNeeded true if pages that may call still have to show a key */
  constructor(
    { origins = [], hosts = [], originPattern, checkHost = false }: CorsOptions = {},
    keysNeeded: boolean = true,
  ) {
    this.checksHost = checkHost || !keysNeeded;
    this.#keysNeeded = keysNeeded;
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
    const named = hosts.map((host) => host.toLowerCase());
    this.#hosts = new Set(['localhost', ...named]);
    this.#pageHosts = new Set([...(keysNeeded ? ['localhost', '127.0.0.1'] : []), ...named]);
    this.#pattern =
      originPattern && new RegExp(`^(?:${originPattern.source})$`, originPattern.flags.replace(/[gy]/g, ''));
  }

  /** True if a page of this origin may request this path. */
  allow(origin: string, path: string): boolean {
    if (this.#origins.has('*') || this.#origins.has(origin.toLowerCase()) || this.#pattern?.test(origin)) return true;
    if (!/^https?:\/\/[^\s/?#@]+$/i.test(origin) || !URL.canParse(origin)) return false;
    return this.#pageHosts.has(new URL(origin).hostname) || (this.#keysNeeded && COOKIE_PATHS.test(path));
  }

  /** True if a server that checks host names may be addressed by this `Host`, because no other party can serve a page under it. */
  mayBeAskedAs(host: string): boolean {
    if (!URL.canParse(`http://${host}`)) return false;
    const { hostname } = new URL(`http://${host}`);
    // addresses, and names that always resolve to this machine; in some networks a single-label name belongs to another machine
    if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0 || hostname.endsWith('.localhost')) return true;
    const origins = [`http://${host}`, `https://${host}`];
    return this.#hosts.has(hostname) || origins.some((origin) => this.allow(origin, ''));
  }
}
