import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Behaviour of an {@link AuthorizationServer}. */
export interface AuthorizationServerOptions {
  /** Seconds that an access token lasts. Default 3600. */
  readonly expiresIn?: number;
  /** The issuer in redirects; null for none. Default: its own. */
  readonly iss?: string | null;
  /** Members of its description in place of its own. */
  readonly described?: Readonly<Record<string, unknown>>;
}

interface Code {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scope: string;
}

interface Grant {
  readonly resource: string;
  readonly scope: string;
  access: string;
  refresh: string;
  isRevoked: boolean;
}

/**
 * An OAuth 2.1 authorization server that allows every access: PKCE, registration of clients, resource indicators, and refresh tokens that are
 * replaced at each use. A refresh token that comes twice revokes the whole grant. Tokens hold `TOKEN_CANARY`.
 */
export class AuthorizationServer {
  readonly options: AuthorizationServerOptions;
  /** The bodies of all requests to the token endpoint. */
  readonly tokenRequests: URLSearchParams[] = [];
  /** The bodies of all registrations. */
  readonly registrations: Record<string, unknown>[] = [];
  /** Answers of the token endpoint that are lost from now on: the request is carried out and its connection cut. */
  lost = 0;
  /** Called before a token request is answered. */
  onToken: () => Promise<void> = () => Promise.resolve();
  readonly #codes: Map<string, Code> = new Map();
  readonly #grants: Grant[] = [];
  readonly #server: Server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });

  private constructor(options: AuthorizationServerOptions) {
    this.options = options;
  }

  /** Starts a server at a free port of this machine. */
  static async start(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
    const server = new AuthorizationServer(options);
    await once(server.#server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get issuer(): string {
    return `http://${this.host}`;
  }

  /** Ends all accesses. */
  revoke(): void {
    for (const grant of this.#grants) grant.isRevoked = true;
  }

  /** Makes all access tokens old, but not what renews them. */
  expire(): void {
    for (const grant of this.#grants) grant.access = newToken('expired');
  }

  /** Returns the scopes of a token for a resource; `undefined` if it grants nothing there. */
  scopesOf(token: string, resource: string): readonly string[] | undefined {
    const grant = this.#grants.find(({ access }) => access === token);
    if (!grant || grant.isRevoked || grant.resource !== resource) return undefined;
    return grant.scope.split(' ');
  }

  /**
   * Answers for a resource that wants a token of this server. Returns true if the request has one with `scope`; otherwise it is answered.
   */
  admits(request: IncomingMessage, response: ServerResponse, resource: string, scope = 'use'): boolean {
    const { origin, pathname } = new URL(resource);
    if (request.url === `/.well-known/oauth-protected-resource${pathname}`) {
      send(response, { resource, authorization_servers: [this.issuer], scopes_supported: ['use'] });
      return false;
    }
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource${pathname}", scope="${scope}"`;
    const [, token = ''] = /^Bearer (.*)$/.exec(request.headers.authorization ?? '') ?? [];
    const scopes = this.scopesOf(token, resource);
    if (scopes?.includes(scope)) return true;
    const challenge = scopes ? `Bearer error="insufficient_scope", ${metadata}` : `Bearer ${metadata}`;
    response.writeHead(scopes ? 403 : 401, { 'www-authenticate': challenge }).end();
    return false;
  }

  /** Opens an address as a person does who allows the access. Resolves with the address that the browser is sent back to. */
  async allow(address: string): Promise<URL> {
    const response = await fetch(address, { redirect: 'manual' });
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`the authorization server answered ${response.status}: ${await response.text()}`);
    return new URL(location);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer);
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        return send(response, this.#description());
      case '/register':
        return this.#register(JSON.parse(await bodyOf(request)) as Record<string, unknown>, response);
      case '/authorize':
        return this.#authorize(url.searchParams, response);
      case '/token':
        return this.#token(new URLSearchParams(await bodyOf(request)), response);
      default:
        response.writeHead(404).end();
    }
  }

  #description(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
      authorization_response_iss_parameter_supported: this.options.iss !== null,
      ...this.options.described,
    };
  }

  #register(client: Record<string, unknown>, response: ServerResponse): void {
    this.registrations.push(client);
    send(response, { ...client, client_id: `client-${this.registrations.length}` }, 201);
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomBytes(16).toString('hex');
    const challenge = query.get('code_challenge') ?? '';
    const redirectUri = query.get('redirect_uri') ?? '';
    if (query.get('code_challenge_method') !== 'S256' || challenge === '')
      return send(response, { error: 'invalid_request' }, 400);
    const resource = query.get('resource') ?? '';
    this.#codes.set(code, { challenge, redirectUri, resource, scope: query.get('scope') ?? 'use' });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    const { iss = this.issuer } = this.options;
    if (iss !== null) back.searchParams.set('iss', iss);
    response.writeHead(302, { location: back.href }).end();
  }

  async #token(body: URLSearchParams, response: ServerResponse): Promise<void> {
    this.tokenRequests.push(body);
    await this.onToken();
    const grant = body.get('grant_type') === 'refresh_token' ? this.#renewed(body) : this.#granted(body);
    if (this.lost > 0) {
      this.lost -= 1;
      return void response.destroy();
    }
    // an error that repeats what it was sent, as some servers do
    if (!grant) return send(response, { error: 'invalid_grant', error_description: body.toString() }, 400);
    const { access, refresh, scope } = grant;
    const { expiresIn = 3600 } = this.options;
    send(response, {
      access_token: access,
      token_type: 'Bearer',
      expires_in: expiresIn,
      refresh_token: refresh,
      scope,
    });
  }

  #granted(body: URLSearchParams): Grant | undefined {
    const code = this.#codes.get(body.get('code') ?? '');
    this.#codes.delete(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (!code || code.challenge !== challenge || code.redirectUri !== body.get('redirect_uri')) return undefined;
    if (code.resource !== body.get('resource')) return undefined;
    const { resource, scope } = code;
    const grant = { resource, scope, access: newToken('access'), refresh: newToken('refresh'), isRevoked: false };
    this.#grants.push(grant);
    return grant;
  }

  #renewed(body: URLSearchParams): Grant | undefined {
    const token = body.get('refresh_token') ?? '';
    const grant = this.#grants.find(({ refresh }) => refresh === token);
    if (grant && !grant.isRevoked)
      return Object.assign(grant, { access: newToken('access'), refresh: newToken('refresh') });
    // used before, so it may be stolen
    if (!grant) this.revoke();
    return undefined;
  }
}

/** A part of every token, which must show nowhere. */
export const TOKEN_CANARY = 'oauth-canary-';

function newToken(kind: string): string {
  return `${TOKEN_CANARY}${kind}-${randomBytes(16).toString('hex')}`;
}

function send(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of request.setEncoding('utf8')) body += String(piece);
  return body;
}
