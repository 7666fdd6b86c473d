import { abortable, errorText } from '@conv/core';
import { secureRandom, timers, type Platform } from '@conv/core/platform';
import type { ToolSession } from '@conv/core/tool';
import {
  computeScopeUnion,
  extractWWWAuthenticateParams,
  isHttpsUrl,
  type FetchLike,
} from '@modelcontextprotocol/client';

import {
  AuthRecord,
  recordKey,
  type AuthClient,
  type AuthIssuer,
  type AuthLogin,
  type AuthState,
} from './auth-record.ts';
import { AuthRequests } from './auth-requests.ts';
import type { McpAuthorization } from './authorization.ts';
import type { McpServerConfig } from './mcp-config.ts';
import { oauthSettings, type OAuthSettings } from './oauth-settings.ts';
import { ServerFault } from './server-fault.ts';
import { withSecrets } from './server-settings.ts';
import { TokenRenewal } from './token-renewal.ts';

/** Milliseconds that a person has for a login. */
const LOGIN_TIME = 15 * 60_000;
/** A login with less time left is not shown again. */
const LEAST_TIME = 5 * 60_000;
/** Milliseconds between two looks at the record of a login, which another process may finish. */
const LOOK = 500;
/** Renewals for one request: that of another process, and that of this process. */
const MOST_RENEWALS = 2;

/** A login that waits for a person. */
export type PendingLogin = Pick<AuthLogin, 'address' | 'state'>;

/** The demand of a server for other rights than the request had. */
interface Challenge {
  readonly resourceMetadataUrl: URL | undefined;
  readonly scope: string | undefined;
}

interface NewLogin {
  readonly redirectUrl: string;
  readonly scope: string | undefined;
  readonly settings: OAuthSettings;
}

export interface ServerLoginDeps {
  readonly platform: Platform;
  readonly config: McpServerConfig;
  readonly authorization: McpAuthorization;
  readonly session: Pick<ToolSession, 'conversationId' | 'secrets'>;
}

/** Thrown when a server wants a person to log in. */
export class LoginNeeded extends ServerFault {
  /** The address that a person opens; `undefined` if no login was begun. */
  readonly address: string | undefined;

  constructor(address?: string) {
    super(
      'refused',
      address === undefined
        ? 'it needs the authorization of a person'
        : `it needs the authorization of a person: open ${address} and allow access, then try again`,
    );
    this.address = address;
  }
}

/** The authorization of one person at one server: sends its token with each request, renews it, and begins logins. */
export class ServerLogin {
  readonly #deps: ServerLoginDeps;
  readonly #secrets: Set<string> = new Set();
  readonly #requests: AuthRequests;
  #tokens: Promise<TokenRenewal> | undefined;
  #challenge: Challenge | undefined;
  /** The token that was refused last; `undefined` for a request without one. */
  #refusedToken: string | undefined;

  constructor(deps: ServerLoginDeps) {
    const { platform, config, authorization } = deps;
    this.#deps = deps;
    const { host } = new URL(config.url ?? '');
    this.#requests = new AuthRequests({ platform, hosts: [...(authorization.hosts ?? []), host] });
  }

  /** Tokens that this process has had. */
  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  /** Returns a `fetch` that sends the token. Rejects {@link LoginNeeded} where the server does not take it, also after it was renewed. */
  around(send: FetchLike): FetchLike {
    return async (url, init) => {
      const renewal = await this.#renewal();
      let token = await renewal.token();
      for (let tries = 0; ; tries += 1) {
        const response = await send(url, withToken(init, token));
        const challenge = challengeOf(response);
        if (!challenge) return response;
        await response.body?.cancel();
        const next = tries < MOST_RENEWALS ? await nextToken(renewal, response, token) : undefined;
        if (next === undefined || next === token) throw this.#refused(challenge, token);
        token = next;
      }
    };
  }

  /**
   * Begins a login, or finds the login that waits or ends just now. Resolves with `undefined` if there is another token than the refused one, so that
   * no person is needed. Rejects {@link ServerFault}.
   */
  async begin(): Promise<PendingLogin | undefined> {
    const record = await this.#record();
    const settings = await this.#settings();
    for (;;) {
      const held = await record.read();
      // of a login that has ended, in whatever process, after the request was refused
      const isOther = held.state.tokens && held.state.tokens.access !== this.#refusedToken;
      if (this.#challenge && isOther) return this.#granted();
      const redirectUrl = await redirectOf(this.#deps.authorization);
      const scope = this.#scopeFor(settings, held.state);
      if (isOpen(held.state.login, { redirectUrl, scope, now: this.#deps.platform.now() })) return held.state.login;
      const next = await this.#newLogin(record.key, held.state, { redirectUrl, scope, settings });
      if (await record.replace(held, next)) return next.login;
    }
  }

  /**
   * Resolves when the login has succeeded, in whatever process. Rejects {@link ServerFault} if it failed or this is closed, and with
   * `given.reason`.
   */
  async finished({ state }: PendingLogin, given: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([given, this.#requests.closed]);
    const record = await this.#record();
    for (;;) {
      const { state: now } = await abortable(record.read(), signal);
      if (now.failure?.state === state) throw new ServerFault('refused', now.failure.reason);
      if (now.login?.state !== state && now.tokens) return this.#finish();
      if (now.login?.state !== state || this.#deps.platform.now() > now.login.expiresAt)
        throw new ServerFault('refused', 'the time for the login is over');
      await timers.sleep(this.#deps.platform, LOOK, { signal });
    }
  }

  async close(): Promise<void> {
    await this.#requests.close();
  }

  async #granted(): Promise<undefined> {
    await this.#finish();
    return undefined;
  }

  async #finish(): Promise<void> {
    (await this.#renewal()).forget();
    this.#challenge = undefined;
  }

  #refused(challenge: Challenge, token: string | undefined): LoginNeeded {
    this.#challenge = challenge;
    this.#refusedToken = token;
    return new LoginNeeded();
  }

  async #newLogin(key: string, state: AuthState, about: NewLogin): Promise<AuthState & { readonly login: AuthLogin }> {
    const { redirectUrl, scope } = about;
    const issuer = await this.#requests.discover(state.url, this.#challenge?.resourceMetadataUrl);
    const client = await this.#clientFor(state, issuer, about);
    const registered = { info: client, redirectUrl };
    // the key leads the browser to this record, and the rest to this login
    const stateText = `${key}.${Buffer.from(secureRandom(32)).toString('base64url')}`;
    const { address, verifier } = await this.#requests.address(
      { issuer, client },
      { redirectUrl, scope, state: stateText },
    );
    const expiresAt = this.#deps.platform.now() + LOGIN_TIME;
    // tokens of another authorization server are of no use, and must not reach this one
    const tokens = issuer.metadata.issuer === state.issuer?.metadata.issuer ? state.tokens : undefined;
    return {
      url: state.url,
      issuer,
      // a refresh token is of use to its own client alone
      client: (tokens && state.client) ?? registered,
      // a renewal that is on stores its tokens here, because those before are used up
      ...(tokens ? { tokens, renewing: state.renewing } : {}),
      login: {
        state: stateText,
        verifier,
        address,
        redirectUrl,
        client: registered,
        expiresAt,
        isUsed: false,
        ...(scope === undefined ? {} : { scope }),
      },
    };
  }

  async #clientFor(
    { issuer: known, client, login }: AuthState,
    issuer: AuthIssuer,
    { redirectUrl, scope, settings }: NewLogin,
  ): Promise<AuthClient> {
    const isSame = known?.metadata.issuer === issuer.metadata.issuer;
    const { client: given, clientName, clientMetadataUrl: ownDocument } = settings;
    if (given) {
      if (client?.info.client_id === given.client_id && !isSame)
        throw new ServerFault('refused', 'it names another authorization server than the one that knows its client_id');
      return given;
    }
    const fitting = [login?.client, client].find((one) => one?.redirectUrl === redirectUrl);
    if (isSame && fitting) return fitting.info;
    const { authorization } = this.#deps;
    const document = ownDocument ?? authorization.clientMetadataUrl;
    if (
      document !== undefined &&
      isHttpsUrl(document) &&
      issuer.metadata['client_id_metadata_document_supported'] === true
    )
      return { client_id: document };
    return this.#requests.register(issuer, {
      name: clientName ?? authorization.clientName ?? 'conv',
      redirectUrl,
      scope,
    });
  }

  /** Returns the scopes to ask for: the configured, the granted and the demanded scopes. */
  #scopeFor({ scope }: OAuthSettings, { tokens }: AuthState): string | undefined {
    return computeScopeUnion(scope, tokens?.scope, this.#challenge?.scope);
  }

  /** Resolves with the settings, in which secrets may stand. */
  async #settings(): Promise<OAuthSettings> {
    const { config, session } = this.#deps;
    const { server } = await withSecrets({ auth: config.auth ?? null }, session, this.#requests.closed);
    return oauthSettings(server);
  }

  #renewal(): Promise<TokenRenewal> {
    return (this.#tokens ??= this.#record().then((record) => {
      const { platform } = this.#deps;
      const onSecret = (secret: string): void => void this.#secrets.add(secret);
      return new TokenRenewal({ platform, record, requests: this.#requests, onSecret });
    }));
  }

  async #record(): Promise<AuthRecord> {
    const { authorization, session, config } = this.#deps;
    const { href } = new URL(config.url ?? '');
    return new AuthRecord(authorization.records, recordKey(await ownerOf(authorization, session), href), href);
  }
}

/** Resolves with the owner. A conversation without one must not have the authorizations that all others share. */
async function ownerOf({ owner }: McpAuthorization, session: Pick<ToolSession, 'conversationId'>): Promise<string> {
  if (!owner) return '';
  const name: unknown = await answered('the owner of its authorization is not known', () => owner(session));
  if (typeof name !== 'string' || name === '')
    throw new ServerFault('refused', 'the owner of its authorization is not known: owner of auth must return a text');
  return name;
}

/** Rejects {@link ServerFault} with the words of the app. */
async function answered(problem: string, ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    throw new ServerFault('refused', `${problem}: ${errorText(error)}`);
  }
}

async function redirectOf({ redirectUrl }: McpAuthorization): Promise<string> {
  const address: unknown =
    typeof redirectUrl === 'string' ? redirectUrl : await answered('a login cannot begin', redirectUrl);
  if (typeof address !== 'string' || !URL.canParse(address))
    throw new ServerFault('refused', 'a login cannot begin: redirectUrl of auth must return a URL as a text');
  return address;
}

function isOpen(
  login: AuthLogin | undefined,
  {
    redirectUrl,
    scope,
    now,
  }: { readonly redirectUrl: string; readonly scope: string | undefined; readonly now: number },
): login is AuthLogin {
  if (!login || login.redirectUrl !== redirectUrl || login.scope !== scope) return false;
  // its code is sent just now, so another login would take the place of its access
  if (login.isUsed) return login.expiresAt > now;
  return login.expiresAt - now > LEAST_TIME;
}

function challengeOf(response: Response): Challenge | undefined {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
  if (response.status === 403 && error !== 'insufficient_scope') return undefined;
  return { resourceMetadataUrl, scope };
}

/** Resolves with a token to try after `response`; with `token` or `undefined` if there is no other. */
function nextToken(
  renewal: TokenRenewal,
  { status }: Response,
  token: string | undefined,
): Promise<string | undefined> {
  if (status === 401) return renewal.token({ rejected: token ?? '' });
  // a token with other rights is not to be had by renewal, but by a login that is stored already
  renewal.forget();
  return renewal.token();
}

function withToken(init: RequestInit = {}, token: string | undefined): RequestInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}
