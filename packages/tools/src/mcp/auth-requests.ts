import { isIPv4 } from 'node:net';

import { abortable } from '@conv/core';
import { timers, type Platform } from '@conv/core/platform';
import {
  checkResourceAllowed,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  registerClient,
  resourceUrlFromServerUrl,
  startAuthorization,
  type AuthorizationServerMetadata,
  type FetchLike,
  type OAuthTokens,
} from '@modelcontextprotocol/client';

import type { AuthClient, AuthIssuer, AuthTokens } from './auth-record.ts';
import { ServerFault } from './server-fault.ts';

/** Milliseconds for all requests of one step. */
const TIME = 30_000;
/** Maximum length of an answer, in bytes. */
const LONGEST_ANSWER = 256 * 1024;

/** A client at an authorization server. */
export interface ClientAt {
  readonly issuer: AuthIssuer;
  readonly client: AuthClient;
}

/** Thrown when an authorization server does not take a code or a token any more. */
export class NotGranted extends ServerFault {
  constructor(reason: string) {
    super('refused', reason);
  }
}

export interface AuthRequestsOptions {
  readonly platform: Platform;
  /** Hosts beside the internet that may be asked. */
  readonly hosts: readonly string[];
}

/** The requests to authorization servers. Each one rejects with {@link ServerFault}, whose message holds no secret. */
export class AuthRequests {
  readonly #options: AuthRequestsOptions;
  readonly #closing: AbortController = new AbortController();
  #fetch: Promise<FetchLike & { close(): Promise<void> }> | undefined;

  constructor(options: AuthRequestsOptions) {
    this.#options = options;
  }

  /** Aborted with a {@link ServerFault} when these requests are closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Finds the authorization server of an MCP server, and the resource that tokens are for. */
  async discover(url: string, resourceMetadataUrl: URL | undefined): Promise<AuthIssuer> {
    const found = await this.#ask('its authorization server cannot be found', (fetchFn) =>
      discoverOAuthServerInfo(url, { fetchFn, ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}) }),
    );
    const { authorizationServerMetadata: metadata, resourceMetadata } = found;
    if (!metadata) throw new ServerFault('refused', 'its authorization server describes itself nowhere');
    // without PKCE a stolen code would be a stolen token
    if (!metadata.code_challenge_methods_supported?.includes('S256'))
      throw new ServerFault('refused', 'its authorization server does not support PKCE with S256');
    for (const name of ENDPOINTS) checkSecure(metadata[name]);
    const own = resourceUrlFromServerUrl(url);
    const configuredResource = resourceMetadata?.resource;
    if (configuredResource !== undefined && !checkResourceAllowed({ requestedResource: own, configuredResource }))
      throw new ServerFault('refused', 'the resource that it names is that of another server');
    return { metadata: needed(metadata), resource: configuredResource ?? own.href };
  }

  async register(
    { metadata }: AuthIssuer,
    about: { readonly name: string; readonly redirectUrl: string; readonly scope?: string | undefined },
  ): Promise<AuthClient> {
    const isLocal = isLoopback(new URL(about.redirectUrl));
    return this.#ask('its authorization server does not register this client', (fetchFn) =>
      registerClient(metadata.issuer, {
        metadata: metadata as AuthorizationServerMetadata,
        clientMetadata: {
          client_name: about.name,
          redirect_uris: [about.redirectUrl],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
          application_type: isLocal ? 'native' : 'web',
        },
        ...(about.scope === undefined ? {} : { scope: about.scope }),
        fetchFn,
      }),
    );
  }

  /** Makes the address that a person opens, and the verifier that redeems the code. */
  async address(
    { issuer, client }: ClientAt,
    about: { readonly redirectUrl: string; readonly state: string; readonly scope?: string | undefined },
  ): Promise<{ readonly address: string; readonly verifier: string }> {
    const { authorizationUrl, codeVerifier } = await this.#ask('its authorization server cannot be used', () =>
      startAuthorization(issuer.metadata.issuer, {
        metadata: issuer.metadata as AuthorizationServerMetadata,
        clientInformation: client,
        redirectUrl: about.redirectUrl,
        state: about.state,
        resource: issuer.resource,
        ...(about.scope === undefined ? {} : { scope: about.scope }),
      }),
    );
    return { address: authorizationUrl.href, verifier: codeVerifier };
  }

  /** Redeems a code. `iss` is compared with the authorization server before the code is sent. */
  async exchange(
    { issuer, client }: ClientAt,
    given: {
      readonly code: string;
      readonly iss?: string | undefined;
      readonly verifier: string;
      readonly redirectUrl: string;
    },
  ): Promise<AuthTokens> {
    const tokens = await this.#ask('its authorization server does not take the code', (fetchFn) =>
      exchangeAuthorization(issuer.metadata.issuer, {
        metadata: issuer.metadata as AuthorizationServerMetadata,
        clientInformation: client,
        authorizationCode: given.code,
        ...(given.iss === undefined ? {} : { iss: given.iss }),
        codeVerifier: given.verifier,
        redirectUri: given.redirectUrl,
        resource: issuer.resource,
        fetchFn,
      }),
    );
    return this.#tokensOf(tokens);
  }

  /** Renews tokens. Rejects {@link NotGranted} if they were revoked. */
  async refresh({ issuer, client }: ClientAt, { refresh = '', scope }: AuthTokens): Promise<AuthTokens> {
    const tokens = await this.#ask('its authorization server does not renew the access', (fetchFn) =>
      refreshAuthorization(issuer.metadata.issuer, {
        metadata: issuer.metadata as AuthorizationServerMetadata,
        clientInformation: client,
        refreshToken: refresh,
        resource: issuer.resource,
        fetchFn,
      }),
    );
    return { ...(scope === undefined ? {} : { scope }), ...this.#tokensOf(tokens) };
  }

  /** Ends the requests that are on. Later ones reject. */
  async close(): Promise<void> {
    this.#closing.abort(new ServerFault('refused', 'its connection was closed'));
    await (await this.#fetch)?.close();
  }

  #tokensOf({ access_token: access, refresh_token: refresh, expires_in: expiresIn, scope }: OAuthTokens): AuthTokens {
    return {
      access,
      ...(refresh === undefined ? {} : { refresh }),
      ...(isLifetime(expiresIn) ? { expiresAt: this.#options.platform.now() + expiresIn * 1000 } : {}),
      ...(scope === undefined ? {} : { scope }),
    };
  }

  async #ask<Answer>(problem: string, request: (fetchFn: FetchLike) => Promise<Answer>): Promise<Answer> {
    using limit = timers.deadline(this.#options.platform, TIME, { signal: this.closed });
    try {
      limit.throwIfAborted();
      const send = await (this.#fetch ??= guarded(this.#options.hosts));
      const fetchFn: FetchLike = async (url, init) => {
        // as text, because another copy of fetch does not know the forms of this one
        const body = init?.body instanceof URLSearchParams ? init.body.toString() : init?.body;
        // a stored authorization server may have been found before its addresses were checked
        if (body !== undefined) checkSecure(String(url));
        return bounded(await send(url, { ...init, ...(body === undefined ? {} : { body }), signal: limit }));
      };
      return await abortable(request(fetchFn), limit);
    } catch (error) {
      this.closed.throwIfAborted();
      if (limit.aborted) throw new ServerFault('refused', `${problem}: it did not answer within ${TIME / 1000} s`);
      throw faultOf(problem, error);
    }
  }
}

/** True if an access ends by itself; 0 and null stand for no known end, and a record cannot hold an infinite one. */
function isLifetime(seconds: number | undefined): seconds is number {
  return seconds !== undefined && seconds > 0 && Number.isSafeInteger(Math.ceil(seconds) * 1000);
}

/** The reason in words of ours: descriptions of errors may repeat the secrets of the request. */
function faultOf(problem: string, error: unknown): ServerFault {
  if (error instanceof ServerFault) return error;
  if (error instanceof OAuthError) {
    const isKnown = (Object.values(OAuthErrorCode) as string[]).includes(error.code);
    const reason = isKnown ? `${problem} (${error.code})` : problem;
    return GONE.has(error.code) ? new NotGranted(reason) : new ServerFault('refused', reason);
  }
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === 'ADDRESS_REFUSED')
    return new ServerFault('refused', `${problem}: its address is not public; add its host to the hosts of auth`);
  const name = error instanceof Error && /^[A-Za-z]{1,60}$/.test(error.name) ? error.name : 'Error';
  return new ServerFault('refused', `${problem} (${code ?? name})`);
}

const GONE: ReadonlySet<string> = new Set<string>([
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
]);

async function guarded(hosts: readonly string[]): Promise<FetchLike & { close(): Promise<void> }> {
  const { guardedFetch } = await import('@conv/egress');
  const send = guardedFetch({ hosts });
  return Object.assign((url: string | URL, init?: RequestInit) => send(url, init), { close: () => send.close() });
}

async function bounded(response: Response): Promise<Response> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > LONGEST_ANSWER) throw new ServerFault('refused', 'its authorization server answers with too much');
    pieces.push(piece);
  }
  const isEmpty = response.status === 204 || response.status === 205 || response.status === 304;
  return new Response(isEmpty ? null : Buffer.concat(pieces), {
    status: response.status,
    headers: [...response.headers] as [string, string][],
  });
}

/** The addresses that secrets are sent to: a login in the browser, codes and tokens, and what registers a client. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'] as const;

function checkSecure(endpoint: string | undefined): void {
  const url = endpoint === undefined ? undefined : new URL(endpoint);
  if (url && url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url)))
    throw new ServerFault('refused', 'its authorization server would be reached without encryption');
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
}

/** Returns the members that later requests read. */
function needed(metadata: AuthorizationServerMetadata): AuthIssuer['metadata'] {
  const names = [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'registration_endpoint',
    'response_types_supported',
    'code_challenge_methods_supported',
    'token_endpoint_auth_methods_supported',
    'authorization_response_iss_parameter_supported',
    'client_id_metadata_document_supported',
    'scopes_supported',
  ];
  const known = Object.entries(metadata).filter(([name, value]) => names.includes(name) && value !== undefined);
  return Object.fromEntries(known) as unknown as AuthIssuer['metadata'];
}
