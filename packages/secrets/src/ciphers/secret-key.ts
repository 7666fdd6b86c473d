import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { checks, ConversationError, type Cipher } from '@conv/core';
import { secureRandom } from '@conv/core/platform';

const FERNET_VERSION = 0x80;
const FERNET_HEAD = 25;
const BLOCK = 16;
const SIGNATURE = 32;
const FERNET_TOKEN = /^gAAAAA[\w-]+={0,2}$/;

const GCM_PREFIX = 'aes-256-gcm.v1.';
const NONCE = 12;
const TAG = 16;
const GCM_TOKEN = /^aes-256-gcm\.v1\.[\w-]+$/;
/** Tokens within a text, such as an address. */
const TOKENS = /(?:\bgAAAAA[\w-]{20,}={0,2}|\baes-256-gcm\.v1\.[\w-]+)/g;

/** True if a text has the form of a token, whatever its key. */
export function isToken(text: string): boolean {
  return FERNET_TOKEN.test(text) || GCM_TOKEN.test(text);
}

/** Returns a cipher that encrypts with the first key, and reads tokens of the older keys too. */
export function cipherOf(key: SecretKey, older: readonly string[], encrypt: (plain: string) => string): Cipher {
  if (!Array.isArray(older))
    throw new ConversationError(
      'INVALID_INPUT',
      checks.wrongValue('older secret keys', "a list such as ['the secret before']", older),
    );
  const olderKeys = older.map((secret) => new SecretKey(secret));
  const ofOlder = (token: string): string | undefined => {
    for (const one of olderKeys) {
      const plain = one.decrypt(token);
      if (plain !== undefined) return plain;
    }
    return undefined;
  };
  const renewed = (token: string): string => {
    const plain = key.decrypt(token) === undefined ? ofOlder(token) : undefined;
    return plain === undefined ? token : encrypt(plain);
  };
  return {
    encrypt,
    decrypt: (token) => key.decrypt(token) ?? ofOlder(token),
    ...(olderKeys.length === 0 ? {} : { renew: (text: string) => text.replaceAll(TOKENS, renewed) }),
  };
}

/** The keys that are derived from one secret, and the tokens made with them. */
export class SecretKey {
  readonly #signing: Buffer;
  readonly #fernet: Buffer;
  readonly #gcm: Buffer;

  /** @throws ConversationError `INVALID_INPUT` for an empty secret. */
  constructor(secret: string) {
    if (typeof secret !== 'string' || secret === '')
      throw new ConversationError('INVALID_INPUT', checks.wrongValue('secret key', 'a text that is not empty', secret));
    const digest = createHash('sha256').update(secret, 'utf8').digest();
    this.#signing = digest.subarray(0, 16);
    this.#fernet = digest.subarray(16);
    this.#gcm = Buffer.from(hkdfSync('sha256', secret, '', GCM_PREFIX, 32));
  }

  /** Encrypts for Fernet. Takes the time of the token in milliseconds since the epoch. */
  toFernet(plain: string, now: number): string {
    const head = Buffer.concat([Buffer.alloc(9), secureRandom(BLOCK)]);
    head[0] = FERNET_VERSION;
    head.writeBigUInt64BE(BigInt(Math.floor(now / 1000)), 1);
    const cipher = createCipheriv('aes-128-cbc', this.#fernet, head.subarray(9));
    const data = Buffer.concat([head, cipher.update(plain, 'utf8'), cipher.final()]);
    const token = Buffer.concat([data, this.#signature(data)]);
    return token.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  }

  toAesGcm(plain: string): string {
    const nonce = secureRandom(NONCE);
    const cipher = createCipheriv('aes-256-gcm', this.#gcm, nonce).setAAD(Buffer.from(GCM_PREFIX));
    const data = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return GCM_PREFIX + data.toString('base64url');
  }

  /** Decrypts a token; `undefined` if it is not a token of this key, or damaged. */
  decrypt(token: string): string | undefined {
    try {
      if (GCM_TOKEN.test(token)) return this.#fromAesGcm(Buffer.from(token.slice(GCM_PREFIX.length), 'base64url'));
      if (FERNET_TOKEN.test(token) && token.length % 4 === 0) return this.#fromFernet(Buffer.from(token, 'base64url'));
      return undefined;
    } catch {
      return undefined;
    }
  }

  #fromFernet(bytes: Buffer): string | undefined {
    if (bytes.length < FERNET_HEAD + BLOCK + SIGNATURE || bytes[0] !== FERNET_VERSION) return undefined;
    const data = bytes.subarray(0, -SIGNATURE);
    if (!timingSafeEqual(this.#signature(data), bytes.subarray(-SIGNATURE))) return undefined;
    const decipher = createDecipheriv('aes-128-cbc', this.#fernet, data.subarray(9, FERNET_HEAD));
    return textOf(Buffer.concat([decipher.update(data.subarray(FERNET_HEAD)), decipher.final()]));
  }

  #fromAesGcm(bytes: Buffer): string | undefined {
    if (bytes.length < NONCE + TAG) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#gcm, bytes.subarray(0, NONCE), { authTagLength: TAG });
    decipher.setAAD(Buffer.from(GCM_PREFIX)).setAuthTag(bytes.subarray(-TAG));
    return textOf(Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]));
  }

  #signature(data: Buffer): Buffer {
    return createHmac('sha256', this.#signing).update(data).digest();
  }
}

/** Throws for bytes that are not UTF-8. */
function textOf(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
