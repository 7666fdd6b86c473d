/** Turns secret text into what may be stored, and back. */
export interface Cipher {
  /** A token that holds `plain` and says nothing of it. */
  encrypt(plain: string): string;
  /** `undefined` when the token is not of this key. */
  decrypt(token: string): string | undefined;
}
