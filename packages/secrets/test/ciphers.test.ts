import { createHash } from 'node:crypto';
import { isConversationError } from '@conv/core';
import { ManualPlatform } from '@conv/testing-harness';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aesGcmCipher, fernetCipher } from '../src/index.ts';

const KEY = 'a secret of the server';

/** Made by `cryptography` 48 for Python, with the key that a server derives from {@link KEY}. */
const GOLDEN: readonly (readonly [string, string])[] = [
  ['value', 'gAAAAABrABpdLmMtwrNwYRiup5shUYbUs26RvlS-K_dD01It874uYK5pwlo8zFF-Kj59CBrTrDuGK520rOhVvDi3ABogPMbvSA=='],
  ['', 'gAAAAABrABpd9zvr94Hs9G7YP-xUejN8bUDcAUA2gf357NJL24b01qKBYKtgZMA9GciB5HUSTg3T41ZqWTVJJ76U2NgfYeBziQ=='],
  [
    'zwölf Käse → 😀',
    'gAAAAABrABpd-mwHkoRKsBN1a8FoYJLrrOOMDlZVwrV-Dc9bCIb40K_Eozobwxt0ldSrkdSGyxhrsvbTW6CvpIf3XM4v51OA8u3sVteterGSxLxr7QSuynk=',
  ],
  [
    'line\nline\r\n',
    'gAAAAABrABpd8xtJXgwrQkPyMit3Z_hTOJp80pppzT87oe0sW_qUg_Tk7Gs1Wu4rzoH09iuoj9v8UWMeAN-zyl2sRyhWuYLkww==',
  ],
  [
    '\ufeffwith a mark',
    'gAAAAABrABpdI-BahGKpjx6KZjDJAWji9XHryEk50wnt5LFFDB5I9_HEwy30JCUCOy6_hcid6WPI52Zpl4T_8Wf2Wlpz5nl1tQ==',
  ],
];
const OF_ANOTHER_KEY =
  'gAAAAABrABpdsOXYbprzKEITPF9nN59Va-y3y7q1xa7-QvVfNjpqWOdFkPCv4sfhhd0vpEg68mYDbLdxW-Gw-DeNAf5zgLNRiw==';

test.each(GOLDEN)('a token that Python made of %j is read', (plain, token) => {
  expect(fernetCipher(KEY).decrypt(token)).toBe(plain);
  expect(aesGcmCipher(KEY).decrypt(token)).toBe(plain);
});

test('a Fernet token has the layout that Python reads', () => {
  const platform = new ManualPlatform(1_789_000_000_500);
  const token = fernetCipher(KEY, [], { platform }).encrypt('value');
  const bytes = Buffer.from(token, 'base64url');
  expect(token).toMatch(/^gAAAAA[\w-]+={0,2}$/);
  expect(token.length % 4).toBe(0);
  expect(bytes[0]).toBe(0x80);
  expect(Number(bytes.readBigUInt64BE(1))).toBe(1_789_000_000);
  expect(bytes.length).toBe(1 + 8 + 16 + 16 + 32);
});

describe.each([
  ['fernet', fernetCipher],
  ['AES-256-GCM', aesGcmCipher],
])('%s', (_, makeCipher) => {
  test('a token is decrypted, also by the other cipher with the same secret', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (plain) => {
        const token = makeCipher(KEY).encrypt(plain);
        expect(fernetCipher(KEY).decrypt(token)).toBe(plain);
        expect(aesGcmCipher(KEY).decrypt(token)).toBe(plain);
      }),
    );
  });

  test('tokens of an older key are encrypted again wherever they stand, and no others', () => {
    const [older, renewing] = [makeCipher('older'), makeCipher(KEY, ['older', 'oldest'])];
    const [own, other] = [makeCipher(KEY).encrypt('own'), makeCipher('another').encrypt('other')];
    const text = `https://user:${older.encrypt('one')}@host/?key=${makeCipher('oldest').encrypt('two')}&a=b`;
    const renewed = renewing.renew?.(text) ?? '';
    const [, one = '', two = ''] = /user:(.*)@host\/\?key=(.*)&a=b/.exec(renewed) ?? [];
    expect([makeCipher(KEY).decrypt(one), makeCipher(KEY).decrypt(two)]).toEqual(['one', 'two']);
    for (const same of [own, other, 'value', '', renewed]) expect(renewing.renew?.(same)).toBe(same);
    expect(makeCipher(KEY)).not.toHaveProperty('renew');
  });

  test('two tokens of one value differ', () => {
    const cipher = makeCipher(KEY);
    expect(cipher.encrypt('value')).not.toBe(cipher.encrypt('value'));
  });

  test('tokens of another key, damaged tokens and other texts are not read', () => {
    const cipher = makeCipher(KEY);
    const token = cipher.encrypt('value');
    expect(cipher.decrypt(OF_ANOTHER_KEY)).toBeUndefined();
    expect(makeCipher('another secret').decrypt(token)).toBeUndefined();
    for (const text of ['', 'value', '**********', 'gAAAAA', 'gAAAAA!', 'aes-256-gcm.v1.', 'aes-256-gcm.v1.AAAA']) {
      expect(cipher.decrypt(text)).toBeUndefined();
    }
    expect(cipher.decrypt(token.slice(0, -4))).toBeUndefined();
    expect(cipher.decrypt(`${token}AAAA`)).toBeUndefined();
  });

  test('a token with any character changed is not read', () => {
    const cipher = makeCipher(KEY);
    const token = cipher.encrypt('value').replace(/=+$/, '');
    const start = token.startsWith('aes') ? 'aes-256-gcm.v1.'.length : 0;
    // The last character of unpadded base64 has bits that say nothing.
    for (let index = start; index < token.length - 1; index += 1) {
      const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`;
      expect(cipher.decrypt(changed.padEnd(Math.ceil(changed.length / 4) * 4, start === 0 ? '=' : ''))).toBeUndefined();
    }
  });

  test('an empty secret is refused', () => {
    expect(() => makeCipher('')).toThrow(expect.toSatisfy((error) => isConversationError(error, 'INVALID_INPUT')));
  });
});

test('tokens of AES-256-GCM and Fernet are distinguished, and reveal nothing of the secret', () => {
  const token = aesGcmCipher(KEY).encrypt('value');
  expect(token).toMatch(/^aes-256-gcm\.v1\.[\w-]+$/);
  expect(token).not.toContain(createHash('sha256').update(KEY).digest('base64url'));
});
