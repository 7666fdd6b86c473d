import type { Cipher } from '@conv/core';
import { cipherOf, SecretKey } from './secret-key.ts';

/**
 * AES-256-GCM with a random nonce for each token, for stores that no other program reads. The key is derived from the secret by
 * HKDF-SHA256, which makes a key of a long random text and not of a weak one. Reads tokens of {@link fernetCipher} with the same
 * secret too.
 *
 * @param older secrets that were in use before, whose tokens are still read and can be encrypted again
 * @throws ConversationError `INVALID_INPUT` for an empty secret.
 *
 * @example
 * ```ts
 * import { aesGcmCipher } from '@conv/secrets';
 *
 * const cipher = aesGcmCipher('a long random text');
 * cipher.decrypt(cipher.encrypt('value')); // 'value'
 * cipher.decrypt('anything else'); // undefined
 * ```
 */
export function aesGcmCipher(secretKey: string, older: readonly string[] = []): Cipher {
  const key = new SecretKey(secretKey);
  return cipherOf(key, older, (plain) => key.toAesGcm(plain));
}
