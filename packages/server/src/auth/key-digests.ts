import { checks } from '@conv/core';
import { createHash, createHmac } from 'node:crypto';

/** Cookies that a browser is given in exchange for a key. */
export type CookiePurpose = 'session' | 'workspace';

/**
 * SHA-256 digests, in hexadecimal, of a key and of the cookies made from it. A server can store them instead of the key. If the
 * key is a long random text, nothing that opens the server can be computed from them. A slow hash would add nothing: it protects
 * texts that can be guessed, and 256 random bits cannot.
 */
export interface KeyDigests {
  readonly key: string;
  readonly session: string;
  readonly workspace: string;
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

/** Returns the SHA-256 digest of a text. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
