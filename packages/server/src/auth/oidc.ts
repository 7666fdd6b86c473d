import { checkOptionNames, checks, type OptionNames } from '@conv/core';
import { systemPlatform, timers, type Platform } from '@conv/core/platform';
import type { createRemoteJWKSet, JWKSCacheInput, JWTPayload, JWTVerifyGetKey } from 'jose';

import { ApiError } from '../http/api-error.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { toCaller, type Caller, type Principal } from './principal.ts';

/** Rights of tokens with a role. */
export interface OidcRole extends Omit<Principal, 'name'> {
  /** Default: every valid token. */
  readonly role?: string;
}

/** Options of tokens of a login by OpenID Connect. */
export interface OidcOptions {
  /** URL of the issuer, exactly as `iss` of its tokens has it; https, or http on this machine. */
  readonly issuer: string;
  /** Name of this server at the issuer, which `aud` of a token must contain. */
  readonly audience: string;
  /** URL of the issuer's keys. Default: the `jwks_uri` of its `/.well-known/openid-configuration`. */
  readonly jwks?: string;
  /** Claim with the lasting name of the person or program. Default `sub`. The principal is `oidc:` and this name. */
  readonly nameClaim?: string;
  /** Claim with the roles: a list of texts, or a text with spaces between them. Default `roles`. */
  readonly roleClaim?: string;
  /** Rights of roles. The first role of this list that a token has decides; a token without any opens nothing. */
  readonly roles: readonly OidcRole[];
  /** Claims whose values conversations must have as tags, by tag. A token without such a claim opens nothing. Default: none. */
  readonly tagClaims?: Readonly<Record<string, string>>;
  /** Seconds by which the clocks of the issuer and this server may differ. Default 30. */
  readonly clockTolerance?: number;
  /**
   * Least seconds between two readings of the issuer's keys. Default 30. Keys are read again after ten minutes, and for an unknown key. While the
   * issuer does not answer, its last keys count for a day.
   */
  readonly refresh?: number;
}

const NAMES: OptionNames<OidcOptions> = {
  issuer: true,
  audience: true,
  jwks: true,
  nameClaim: true,
  roleClaim: true,
  roles: true,
  tagClaims: true,
  clockTolerance: true,
  refresh: true,
};

const ROLE: OptionNames<OidcRole> = { role: true, scopes: true, limits: true, daily: true };

/** Signatures by private keys alone. With a shared secret, the public key of the issuer would be one. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Milliseconds for which a request waits for the issuer. */
const TIMEOUT = 5000;

/** Characters of a token. */
const LONGEST = 16_384;

/** Throws `TypeError` for options that would open the server to tokens of others, or to none. */
export function checkOidc(place: string, options: OidcOptions): void {
  checkOptionNames(`${place}: oidc`, options, NAMES);
  const { issuer, audience, jwks, roles, tagClaims, clockTolerance, refresh } = options;
  const wrong = (member: string, expected: string, found: unknown): TypeError =>
    new TypeError(checks.wrongValue(`${place}: oidc: ${member}`, expected, found));
  if (!isSafeUrl(issuer)) throw wrong('issuer', 'an https URL', issuer);
  if (jwks !== undefined && !isSafeUrl(jwks)) throw wrong('jwks', 'an https URL', jwks);
  if (typeof audience !== 'string' || audience === '') throw wrong('audience', 'the name of this server', audience);
  if (!Array.isArray(roles) || roles.length === 0) throw wrong('roles', 'a list of roles with scopes', roles);
  for (const each of roles as readonly OidcRole[]) {
    checkOptionNames(`${place}: oidc: roles`, each, ROLE);
    if (each.role !== undefined && (typeof each.role !== 'string' || each.role === ''))
      throw wrong('roles: role', 'a text', each.role);
    const { role: _, ...rights } = each;
    toCaller({ name: 'oidc', ...rights }, `${place}: oidc: roles`);
  }
  for (const [tag, claim] of Object.entries(tagClaims ?? {}))
    if (typeof claim !== 'string') throw wrong(`tagClaims: ${tag}`, 'the name of a claim', claim);
  for (const [member, seconds] of Object.entries({ clockTolerance, refresh }))
    if (seconds !== undefined && !(typeof seconds === 'number' && seconds >= 0 && seconds < Infinity))
      throw wrong(member, 'seconds from 0', seconds);
}

/** The caller of a token. */
export interface TokenHolder {
  readonly caller: Caller;
  /** Milliseconds since 1970 at which the token expires, by the clock that is most behind. */
  readonly until: number;
}

/** Finds the callers of tokens of an issuer. Reads its keys when the first token is shown. */
export class OidcTokens {
  readonly #options: OidcOptions;
  readonly #platform: Platform;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  constructor(options: OidcOptions, platform: Platform = systemPlatform) {
    checkOidc('agentServer', options);
    this.#options = options;
    this.#platform = platform;
  }

  /** Resolves with the caller of a token; `undefined` for a token that opens nothing. Rejects {@link ApiError} 503 if the issuer does not answer. */
  async of(token: string): Promise<TokenHolder | undefined> {
    // a key of another kind is no reason to ask the issuer
    if (token.length > LONGEST || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
    const claims = await this.#verified(token);
    const caller = claims && this.#callerOf(claims);
    return caller && { caller, until: ((claims.exp ?? 0) + (this.#options.clockTolerance ?? 30)) * 1000 };
  }

  async #verified(token: string): Promise<JWTPayload | undefined> {
    const { issuer, audience, clockTolerance = 30 } = this.#options;
    const { jwtVerify, errors } = await import('jose');
    try {
      const { payload } = await jwtVerify(token, await this.#issuerKeys(), {
        issuer,
        audience,
        clockTolerance,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        currentDate: new Date(this.#platform.now()),
      });
      return payload;
    } catch (error) {
      const isOfIssuer = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
      // JOSEError alone: the answer of the issuer was another one than its keys
      const isOfToken = error instanceof errors.JOSEError && !isOfIssuer && error.code !== errors.JOSEError.code;
      if (isOfToken) return undefined;
      throw new ApiError(503, 'The issuer of the tokens does not answer; try again later', { cause: error });
    }
  }

  #callerOf(claims: JWTPayload): Caller | undefined {
    const { nameClaim = 'sub', roleClaim = 'roles', roles, tagClaims = {} } = this.#options;
    const name = claims[nameClaim];
    if (typeof name !== 'string' || name === '') return undefined;
    const held = textsIn(claims[roleClaim]);
    const found = roles.find(({ role }) => role === undefined || held.includes(role));
    if (!found) return undefined;
    const tags: Record<string, string> = {};
    for (const [tag, claim] of Object.entries(tagClaims)) {
      const value = claims[claim];
      // an unknown limit must not count as no limit
      if (typeof value !== 'string' || value === '') return undefined;
      tags[tag] = value;
    }
    const { role: _, limits, ...rights } = found;
    const isTagged = Object.keys(tags).length > 0;
    const limited = isTagged ? { ...limits, tags: { ...limits?.tags, ...tags } } : limits;
    // named keys have no colon, so no token owns their conversations
    return toCaller({ name: `oidc:${name}`, ...rights, ...(limited ? { limits: limited } : {}) });
  }

  /** Rejects with the reason if the issuer has no keys for this server now. */
  async checkIssuer(): Promise<void> {
    const remote = await this.#remoteKeys({});
    await remote.reload();
  }

  /** Resolves with the keys of the issuer. A failure to find their place is not kept. */
  #issuerKeys(): Promise<JWTVerifyGetKey> {
    this.#keys ??= this.#findKeys().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  async #findKeys(): Promise<JWTVerifyGetKey> {
    const cache = {};
    const remote = await this.#remoteKeys(cache);
    const keys = new IssuerKeys({ remote, cache, cooldown: this.#cooldown, now: this.#platform.now });
    return keys.of;
  }

  async #remoteKeys(cache: JWKSCacheInput): Promise<ReturnType<typeof createRemoteJWKSet>> {
    const jose = await import('jose');
    const url = new URL(this.#options.jwks ?? (await this.#discovered()));
    return jose.createRemoteJWKSet(url, {
      cooldownDuration: this.#cooldown,
      timeoutDuration: TIMEOUT,
      cacheMaxAge: Infinity,
      [jose.jwksCache]: cache,
    });
  }

  get #cooldown(): number {
    return (this.#options.refresh ?? 30) * 1000;
  }

  async #discovered(): Promise<string> {
    const { issuer } = this.#options;
    const place = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    using signal = timers.deadline(this.#platform, TIMEOUT);
    const answer = await fetch(place, { redirect: 'error', signal });
    if (!answer.ok)
      throw new TypeError(
        `${place}: expected the description of the issuer, found status ${answer.status}; correct issuer`,
      );
    const { issuer: said, jwks_uri: uri } = Object(await answer.json()) as Readonly<Record<string, unknown>>;
    if (said !== issuer)
      throw new TypeError(`${place}: expected the issuer ${issuer}, found ${JSON.stringify(said)}; correct issuer`);
    if (typeof uri === 'string' && isSafeUrl(uri)) return uri;
    throw new TypeError(`${place}: jwks_uri: expected an https URL, found ${JSON.stringify(uri)}; set jwks`);
  }
}

/**
 * Resolves if the issuer of tokens describes itself and has keys; rejects with the reason, such as another issuer at that URL. For programs that tell at
 * their start what would else be a refusal of the first token. Rejects `TypeError` for options that `agentServer` refuses.
 */
export async function checkIssuer(options: OidcOptions): Promise<void> {
  await new OidcTokens(options).checkIssuer();
}

/** True for a URL whose answer no other machine on the way can change: by https, or by http on this machine. */
export function isSafeUrl(url: unknown): url is string {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname));
}

function textsIn(claim: unknown): readonly unknown[] {
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim : [];
}
