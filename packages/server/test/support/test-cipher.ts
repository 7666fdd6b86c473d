import type { Cipher } from '@conv/core';

/** A cipher whose tokens look like the wire's and are easy to see through. */
export const testCipher: Cipher = {
  encrypt: (plain) => `gAAAAA${Buffer.from(plain.padEnd(60, '\0')).toString('base64url')}`,
  decrypt: (token) => {
    const plain = Buffer.from(token.slice('gAAAAA'.length), 'base64url').toString().replaceAll('\0', '');
    return plain.startsWith('other key:') ? undefined : plain;
  },
};
