/**
 * The Fernet cipher of an agent server's folders, enough to compare what two programs read: the key is the
 * SHA-256 of the server's secret, its first half signs, its second half encrypts.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SIGNATURE = 32;

/** A `Cipher` of @conv/core for a server's secret. */
export function fernet(secret) {
  const key = createHash('sha256').update(secret, 'utf8').digest();
  const sign = (data) => createHmac('sha256', key.subarray(0, 16)).update(data).digest();
  return {
    encrypt(plain) {
      const head = Buffer.alloc(25, randomBytes(25));
      head[0] = 0x80;
      head.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000)), 1);
      const cipher = createCipheriv('aes-128-cbc', key.subarray(16), head.subarray(9));
      const data = Buffer.concat([head, cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([data, sign(data)])
        .toString('base64')
        .replaceAll('+', '-')
        .replaceAll('/', '_');
    },
    decrypt(token) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length < 25 + 16 + SIGNATURE || bytes[0] !== 0x80) return undefined;
      const data = bytes.subarray(0, -SIGNATURE);
      if (!timingSafeEqual(sign(data), bytes.subarray(-SIGNATURE))) return undefined;
      const decipher = createDecipheriv('aes-128-cbc', key.subarray(16), data.subarray(9, 25));
      return Buffer.concat([decipher.update(data.subarray(25)), decipher.final()]).toString('utf8');
    },
  };
}
