/** Encrypts secret text for storage, and decrypts it. */
export interface Cipher {
  /** Returns a token that holds `plain` and reveals nothing of it. */
  encrypt(plain: string): string;
  /** Returns the text of a token; `undefined` when the token is not of this key. */
  decrypt(token: string): string | undefined;
  /**
   * Returns a text with each token in it encrypted anew that only an older key reads; the same text when there is none. Absent
   * for a cipher with one key.
   */
  renew?(text: string): string;
}
