import type { Cipher } from '@conv/core';
import { reading, SecretKey } from './secret-key.ts';

/**
 * The cipher of agent servers of OpenHands and their folders: Fernet tokens (AES-128-CBC, HMAC-SHA256), their keys the SHA-256 of
 * the server's secret. Reads tokens of {@link aesGcmCipher} with the same secret too. Tokens do not expire.
 *
 * To change the key, give the old ones as `older`: what they encrypted is still read, and everything that is stored anew is encrypted with
 * the new one.
 *
 * @param older secrets that were in use before
 * @throws ConversationError `INVALID_INPUT` for an empty secret.
 *
 * @example
 * ```ts
 * import { fernetCipher } from '@conv/secrets';
 *
 * const cipher = fernetCipher(process.env['OH_SECRET_KEY'] ?? 'a long random text');
 * const token = cipher.encrypt('value');
 * cipher.decrypt(token); // 'value'
 * ```
 */
export function fernetCipher(secretKey: string, older: readonly string[] = []): Cipher {
  const key = new SecretKey(secretKey);
  return { encrypt: (plain) => key.toFernet(plain), decrypt: reading(key, older) };
}
