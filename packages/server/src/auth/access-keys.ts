import { checks } from '@conv/core';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Rights of a caller: `session` uses the server; `approver` also decides which actions run without approval. */
export type Access = 'session' | 'approver';

/** Cookies that a browser is given in exchange for a key. */
export type CookiePurpose = 'session' | 'workspace';

/**
 * SHA-256 digests, in hexadecimal, of a key and of the cookies made from it. A server can store them instead of the key. If the
 * key is a long random text, nothing that opens the server can be computed from them.
 */
export interface KeyDigests {
  readonly key: string;
  readonly session: string;
  readonly workspace: string;
}

/** Authentication options. */
export interface AuthOptions {
  /** Keys that open the server. Without any key, every program that reaches the server may do everything. */
  readonly sessionKeys?: readonly string[];
  /** Digests of further session keys, made by {@link keyDigests}. */
  readonly sessionKeyDigests?: readonly KeyDigests[];
  /** Keys that open the server and may approve. With any, session keys do not approve. Default: session keys may approve. */
  readonly approverKeys?: readonly string[];
  /** Receives each key that was accepted, so that it can be hidden from texts. Must not throw. */
  readonly keyShown?: (key: string) => void;
}

/** Returns the digests of a key, so that a server need not know the key itself. */
export function keyDigests(key: string): KeyDigests {
  if (typeof key !== 'string') throw new TypeError(checks.wrongValue('keyDigests: key', 'a key', key));
  return {
    key: digest(key).toString('hex'),
    session: digest(cookieOf(key, 'session')).toString('hex'),
    workspace: digest(cookieOf(key, 'workspace')).toString('hex'),
  };
}

/** Returns the value of a cookie for a key. It does not reveal the key, and is void when the key is removed. */
export function cookieOf(key: string, purpose: CookiePurpose): string {
  return createHmac('sha256', key).update(`conv ${purpose} cookie`).digest('base64url');
}

interface Known {
  readonly access: Access;
  readonly digests: Readonly<Record<'key' | CookiePurpose, Buffer>>;
}

/** The keys that open a server. The duration of a check reveals neither the number of keys nor their likeness to a wrong key. */
export class AccessKeys {
  readonly #known: readonly Known[];
  readonly #keyShown: ((key: string) => void) | undefined;
  /** True if approving needs a key of its own. */
  readonly separatesApproving: boolean;

  /** @throws TypeError for an empty key, because an empty header would match it. */
  constructor({ sessionKeys = [], sessionKeyDigests = [], approverKeys = [], keyShown }: AuthOptions = {}) {
    if ([...sessionKeys, ...approverKeys].some((key) => typeof key !== 'string' || key === ''))
      throw new TypeError('a key must be a text that is not empty');
    this.separatesApproving = approverKeys.length > 0;
    const usual: Access = this.separatesApproving ? 'session' : 'approver';
    this.#keyShown = keyShown;
    this.#known = [
      ...approverKeys.map((key) => known(keyDigests(key), 'approver')),
      ...sessionKeys.map((key) => known(keyDigests(key), usual)),
      ...sessionKeyDigests.map((digests) => known(digests, usual)),
    ];
  }

  get required(): boolean {
    return this.#known.length > 0;
  }

  /** Returns the rights of a key; `undefined` for a wrong key, and for a missing key where one is needed. */
  of(key: string | undefined): Access | undefined {
    const access = this.#find('key', key);
    if (access !== undefined && key !== undefined && this.required) this.#keyShown?.(key);
    return access;
  }

  /**
   * Returns the rights of a cookie. Browsers send cookies to every port of a host, so a cookie never approves where approving
   * needs a key of its own.
   */
  ofCookie(purpose: CookiePurpose, value: string | undefined): Access | undefined {
    const access = this.#find(purpose, value);
    return access && this.separatesApproving ? 'session' : access;
  }

  #find(what: 'key' | CookiePurpose, shown: string | undefined): Access | undefined {
    if (!this.required) return 'approver';
    const given = digest(shown ?? '');
    let found: Access | undefined;
    // every key is compared, whichever it is
    for (const { access, digests } of this.#known) if (timingSafeEqual(digests[what], given)) found ??= access;
    return shown === undefined ? undefined : found;
  }
}

function known({ key, session, workspace }: KeyDigests, access: Access): Known {
  const digests = { key: fromHex(key), session: fromHex(session), workspace: fromHex(workspace) };
  return { access, digests };
}

function fromHex(text: string): Buffer {
  if (!/^[\da-f]{64}$/.test(text)) throw new TypeError('a digest of a key must have 64 hexadecimal digits');
  return Buffer.from(text, 'hex');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
