import { timingSafeEqual } from 'node:crypto';

import type { OptionNames } from '@conv/core';
import type { Platform } from '@conv/core/platform';

import { cookieOf, digest, keyDigests, type CookiePurpose, type KeyDigests } from './key-digests.ts';
import type { NamedKeys } from './named-keys.ts';
import { OidcTokens, type OidcOptions, type TokenHolder } from './oidc.ts';
import { APPROVER, has, SESSION, toCaller, without, type Caller, type Principal } from './principal.ts';

/** The right of a caller to approve: `session` uses the server; `approver` also decides which actions run without approval. */
export type Access = 'session' | 'approver';

/** Returns the right of a caller to approve. */
export function accessIn(caller: Caller): Access {
  return has(caller, 'approve') ? 'approver' : 'session';
}

/** Authentication options. */
export interface AuthOptions {
  /** Keys that open the server. Without any key, every program that reaches the server may do everything. */
  readonly sessionKeys?: readonly string[];
  /** Digests of further session keys, made by {@link keyDigests}. */
  readonly sessionKeyDigests?: readonly KeyDigests[];
  /** Keys that open the server and may approve. With any, session keys do not approve. Default: session keys may approve. */
  readonly approverKeys?: readonly string[];
  /** Keys with names, scopes and limits, which are added and revoked while the server runs. Default: none. */
  readonly namedKeys?: NamedKeys;
  /**
   * Returns the principal of any other key; `undefined` for a wrong key. Called at each request, again when its body has arrived,
   * and twice a second for each open socket.
   * Such a key is sent with each request: it is not exchanged for a cookie. Default: no other key is valid.
   */
  readonly principal?: (key: string) => Principal | undefined | Promise<Principal | undefined>;
  /**
   * Accepts tokens of a login by OpenID Connect, as `Authorization: Bearer` or in place of a key. They are checked as `principal` is called, so
   * sockets end when their token expires, and are not exchanged for a cookie. Default: no tokens are valid.
   */
  readonly oidc?: OidcOptions;
  /**
   * Receives each key that was accepted, so that it can be hidden from texts; of a token also when it expires, in milliseconds since 1970. Must
   * not throw.
   */
  readonly keyShown?: (key: string, until?: number) => void;
}

/** The names of all {@link AuthOptions}. */
export const AUTH_OPTIONS: OptionNames<AuthOptions> = {
  sessionKeys: true,
  sessionKeyDigests: true,
  approverKeys: true,
  namedKeys: true,
  principal: true,
  oidc: true,
  keyShown: true,
};

/**
 * A key as the server keeps it with what its holder asked for, to ask later what the holder may do then: digests of a key or of a session cookie of this server,
 * or a token whose holder only others know. Nothing: no key was shown.
 */
export type KeptKey = Readonly<Partial<Record<'key' | 'session' | 'token', string>>>;

interface Known {
  readonly caller: Caller;
  readonly digests: Readonly<Record<'key' | CookiePurpose, Buffer>>;
}

/** The keys that open a server. The duration of a check reveals neither the number of keys nor their likeness to a wrong key. */
export class AccessKeys {
  readonly #known: readonly Known[];
  readonly #named: NamedKeys | undefined;
  readonly #principal: AuthOptions['principal'];
  readonly #tokens: OidcTokens | undefined;
  readonly #keyShown: AuthOptions['keyShown'];
  /** True if approving needs a key of its own. */
  readonly separatesApproving: boolean;

  /** @throws TypeError for an empty key, because an empty header would match it. */
  constructor(options: AuthOptions & { readonly platform?: Platform | undefined } = {}) {
    const { platform } = options;
    const {
      sessionKeys = [],
      sessionKeyDigests = [],
      approverKeys = [],
      keyShown,
      namedKeys,
      principal,
      oidc,
    } = options;
    if ([...sessionKeys, ...approverKeys].some((key) => typeof key !== 'string' || key === ''))
      throw new TypeError('a key: expected a text that is not empty, found another value');
    this.separatesApproving = approverKeys.length > 0;
    const usual = this.separatesApproving ? SESSION : APPROVER;
    this.#keyShown = keyShown;
    this.#named = namedKeys;
    this.#principal = principal;
    this.#tokens = oidc && new OidcTokens(oidc, platform);
    this.#known = [
      ...approverKeys.map((key) => known(keyDigests(key), APPROVER)),
      ...sessionKeys.map((key) => known(keyDigests(key), usual)),
      ...sessionKeyDigests.map((digests) => known(digests, usual)),
    ];
  }

  get required(): boolean {
    return this.#known.length > 0 || this.#named !== undefined || this.#principal !== undefined || this.takesTokens;
  }

  /** True if a bearer token may be shown in place of a key. */
  get takesTokens(): boolean {
    return this.#tokens !== undefined;
  }

  /** Resolves with the holder of a key; with `undefined` for a wrong key, and for a missing key where one is needed. */
  async of(key: string | undefined): Promise<Caller | undefined> {
    const known = this.#find('key', key);
    const { caller, until } = known ? { caller: known } : await this.#asked(key);
    if (caller !== undefined && key !== undefined && this.required) this.#keyShown?.(key, until);
    return caller;
  }

  /** True if a cookie made from this key will be valid. */
  givesCookie(key: string): boolean {
    return this.ofCookie('session', cookieOf(key, 'session')) !== undefined;
  }

  /**
   * Returns the holder of a cookie. Browsers send cookies to every port of a host, so a cookie never approves where approving
   * needs a key of its own.
   */
  ofCookie(purpose: CookiePurpose, value: string | undefined): Caller | undefined {
    const caller = this.#find(purpose, value);
    return caller && this.separatesApproving ? without(caller, 'approve') : caller;
  }

  /** Returns what to keep of a key, or of the session cookie that was shown instead. */
  keep(key: string | undefined, cookie: string | undefined): KeptKey {
    if (key === undefined) return cookie === undefined ? {} : { session: digest(cookie).toString('hex') };
    return this.#find('key', key) ? { key: digest(key).toString('hex') } : { token: key };
  }

  /** Resolves with the present holder of a kept key; with `undefined` if it is void now. */
  async ofKept({ key, session, token }: KeptKey): Promise<Caller | undefined> {
    if (token !== undefined) return this.of(token);
    if (key !== undefined) return this.#holder('key', fromHex(key));
    if (session !== undefined) return this.#holder('session', fromHex(session));
    return this.required ? undefined : APPROVER;
  }

  #find(what: 'key' | CookiePurpose, shown: string | undefined): Caller | undefined {
    const found = this.#holder(what, digest(shown ?? ''));
    const isShown = shown !== undefined && shown !== '';
    return isShown || !this.required ? found : undefined;
  }

  #holder(what: 'key' | CookiePurpose, given: Buffer): Caller | undefined {
    if (!this.required) return APPROVER;
    let found: Caller | undefined;
    // every key is compared, whichever it is
    for (const { caller, digests } of this.#known) if (timingSafeEqual(digests[what], given)) found ??= caller;
    return found ?? this.#named?.of(what, given.toString('hex'));
  }

  async #asked(key: string | undefined): Promise<Partial<TokenHolder>> {
    if (key === undefined || key === '') return {};
    const principal = await this.#principal?.(key);
    return principal ? { caller: toCaller(principal) } : ((await this.#tokens?.of(key)) ?? {});
  }
}

function known({ key, session, workspace }: KeyDigests, caller: Caller): Known {
  const digests = { key: fromHex(key), session: fromHex(session), workspace: fromHex(workspace) };
  return { caller, digests };
}

function fromHex(text: string): Buffer {
  if (!/^[\da-f]{64}$/.test(text))
    throw new TypeError(
      'a digest of a key: expected 64 hexadecimal digits, found another value; make it with keyDigests',
    );
  return Buffer.from(text, 'hex');
}
