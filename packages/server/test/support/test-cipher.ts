import type { Cipher } from '@conv/core';

/** A cipher whose tokens look like the wire's and are easy to see through. */
export const testCipher: Cipher = {
  encrypt: (plain) => `gAAAAA${Buffer.from(plain.padEnd(60, '\0')).toString('base64url')}`,
  decrypt: (token) => {
    const plain = Buffer.from(token.slice('gAAAAA'.length), 'base64url').toString().replaceAll('\0', '');
    return plain.startsWith('other key:') ? undefined : plain;
  },
};

const PREFIX = `gAAAAA${'A'.repeat(60)}`;

/** Stands in for the wire's cipher: a token looks like one of its own, and says its key. */
export function cipherOf(newest: string, ...older: readonly string[]): Cipher {
  const encrypt = (plain: string): string => PREFIX + Buffer.from(`${newest} ${plain}`).toString('base64url');
  const decrypt = (token: string, keys = [newest, ...older]): string | undefined => {
    if (!token.startsWith(PREFIX)) return undefined;
    const [key = '', plain] = Buffer.from(token.slice(PREFIX.length), 'base64url').toString().split(' ');
    return keys.includes(key) ? plain : undefined;
  };
  const renew = (text: string): string => {
    const plain = decrypt(text, [...older]);
    return plain === undefined ? text : encrypt(plain);
  };
  return { encrypt, decrypt: (token) => decrypt(token), renew };
}
