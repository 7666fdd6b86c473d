/**
 * Returns random bytes of the system, for keys, nonces and access tokens. At most 65,536. A simulation cannot replace them,
 * because nothing secret may be predictable.
 */
export function secureRandom(bytes: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(bytes));
}
