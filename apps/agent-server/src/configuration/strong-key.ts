/** Message for a key that is not {@link isStrongKey}. */
export const WEAK_KEY =
  'a key must have at least 16 characters, 8 of them different; `openssl rand -base64 32` makes one';

/** True for a key whose length and characters show no sign that it can be guessed. */
export function isStrongKey(key: string): boolean {
  return key.length >= 16 && new Set(key).size >= 8;
}
