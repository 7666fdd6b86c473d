import { checkOptionNames, type Cipher, type OptionNames } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { cipherOf, SecretKey } from './secret-key.ts';

/** Options of {@link fernetCipher}. */
export interface FernetCipherOptions {
  /** Gives the time that is written into tokens. Default: the platform of the host. */
  readonly platform?: Pick<Platform, 'now'> | undefined;
}

const NAMES: OptionNames<FernetCipherOptions> = { platform: true };

/**
 * Creates the cipher of OpenHands' agent servers and their folders: Fernet tokens (AES-128-CBC, HMAC-SHA256) whose key is
 * the SHA-256 of the server's secret. It also reads tokens of {@link aesGcmCipher} with the same secret. Tokens do not
 * expire.
 *
 * To change the key, give the old secrets as `older`. Their tokens are still read. Values that are stored again are encrypted
 * with the new key, and so are the secrets of a conversation that is opened for writing.
 *
 * @param older - Secrets that were in use before.
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
export function fernetCipher(
  secretKey: string,
  older: readonly string[] = [],
  options: FernetCipherOptions = {},
): Cipher {
  checkOptionNames('fernetCipher', options, NAMES);
  const { platform = systemPlatform } = options;
  const key = new SecretKey(secretKey);
  return cipherOf(key, older, (plain) => key.toFernet(plain, platform.now()));
}
