import type { Cipher } from '@conv/core';
import { cipherOf, SecretKey } from './secret-key.ts';

/**
 * AES-256-GCM with a random nonce for each token, for stores that no other program reads. The key is derived from the secret by
 * HKDF-SHA256, which is strong only if the secret is long and random. Reads tokens of {@link fernetCipher} with the same secret
 * too.
 *
 * @param older former secrets, whose tokens can still be read and re-encrypted
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
