import { SECRET_MASK, type Cipher, type Json, type SecretVault, type StoredSecrets } from '@conv/core';
import { describe, expect, test } from 'vitest';
import { aesGcmCipher, createSecretVault, fernetCipher } from '../src/index.ts';
import { warningsOf } from './warnings.ts';

const never = new AbortController().signal;
const KEY = 'key of the server';
const REDACTED = '**********';

function sourcesOf(vault: SecretVault): Record<string, Record<string, Json>> {
  return vault.stored.secretRegistry['secret_sources'] as Record<string, Record<string, Json>>;
}

/** Restarts a vault: loads the stored secrets of a process into a new vault. */
function restarted(vault: SecretVault, cipher?: Cipher): SecretVault {
  const next = createSecretVault({ cipher });
  next.load(JSON.parse(JSON.stringify(vault.stored)) as StoredSecrets);
  return next;
}

function loaded(sources: Json, cipher?: Cipher, hiddenValues: readonly string[] = []): SecretVault {
  const vault = createSecretVault({ cipher });
  vault.load({ secretRegistry: { secret_sources: sources }, hiddenValues });
  return vault;
}

const headers = { Authorization: 'Bearer tok_8fJ2kQ91xZ', 'X-Session-API-Key': 'session-key-1', Accept: 'text/plain' };

function fullVault(cipher?: Cipher): SecretVault {
  const vault = createSecretVault({ cipher });
  vault.update({
    TOKEN: { value: 'the token value', description: 'for deploying' },
    CALLED: { get: () => 'the called value', description: null },
    LOOKED_UP: { kind: 'LookupSecret', url: '/api/secrets/one', headers },
  });
  return vault;
}

describe.each([
  ['Fernet', fernetCipher(KEY)],
  ['AES-256-GCM', aesGcmCipher(KEY)],
])('with %s', (_, cipher) => {
  test('P6: state holds names and ciphertext, in the objects of the wire', () => {
    const vault = fullVault(cipher);
    const { TOKEN, CALLED, LOOKED_UP } = sourcesOf(vault);
    expect(TOKEN).toEqual({ kind: 'StaticSecret', description: 'for deploying', value: expect.any(String) });
    expect(cipher.decrypt(TOKEN?.['value'] as string)).toBe('the token value');
    expect(CALLED).toEqual({ kind: 'StaticSecret', description: null, value: REDACTED });
    expect(LOOKED_UP).toMatchObject({ kind: 'LookupSecret', description: null, url: '/api/secrets/one' });
    const stored = LOOKED_UP?.['headers'] as Record<string, string>;
    expect(stored['Accept']).toBe('text/plain');
    expect(cipher.decrypt(stored['Authorization'] ?? '')).toBe(headers.Authorization);
    expect(cipher.decrypt(stored['X-Session-API-Key'] ?? '')).toBe(headers['X-Session-API-Key']);
    expect(JSON.stringify(vault.stored)).not.toMatch(/token value|called value|tok_8f|session-key/);
  });

  test('P9: a restarted process has the values, masks them and lists missing ones', async () => {
    const vault = restarted(fullVault(cipher), cipher);
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'the token value' });
    expect(vault.masker.mask('the token value, tok_8fJ2kQ91xZ')).toBe(`${SECRET_MASK}, ${SECRET_MASK}`);
    expect(vault.missing.map(({ name }) => name)).toEqual(['CALLED']);
    expect(vault.secrets).toEqual([
      { name: 'CALLED', description: null },
      { name: 'LOOKED_UP', description: null },
      { name: 'TOKEN', description: 'for deploying' },
    ]);
  });

  test('P9: hidden values with keep are masked after a restart, and others are not stored', () => {
    const vault = createSecretVault({ cipher });
    vault.hide(['only-hidden-value'], {});
    vault.hide(['kept-hidden-value', 'kept-hidden-value', 'short'], { keep: true });
    expect(vault.stored.hiddenValues).toHaveLength(1);
    const again = createSecretVault({ cipher });
    again.load(vault.stored);
    expect(again.masker.mask('kept-hidden-value only-hidden-value short')).toBe(
      '<secret-hidden> only-hidden-value short',
    );
    const without = createSecretVault({});
    without.hide(['kept-hidden-value'], { keep: true });
    expect([without.stored.hiddenValues, without.masker.mask('kept-hidden-value')]).toEqual([[], '<secret-hidden>']);
  });

  test('P9: rotated values and answers of sources are masked after a restart', async () => {
    const vault = fullVault(cipher);
    await vault.environmentFor('$CALLED', never);
    vault.update({ TOKEN: 'another token value', LOOKED_UP: null });
    expect(vault.stored.hiddenValues).toHaveLength(5);
    const next = restarted(vault, cipher);
    const text = 'the token value; another token value; the called value; tok_8fJ2kQ91xZ; session-key-1';
    expect(next.masker.mask(text).replaceAll('; ', '')).toBe(SECRET_MASK.repeat(5));
    expect(next.stored.hiddenValues).toEqual(vault.stored.hiddenValues);
  });
});

describe('without a cipher', () => {
  test('P9: values are stored redacted, and a restarted process lists missing ones', async () => {
    const vault = fullVault();
    await vault.environmentFor('$CALLED', never);
    vault.update({ TOKEN: 'another token value' });
    expect(JSON.stringify(vault.stored)).not.toMatch(/value of|token value|called value|tok_8f|session-key/);
    expect(sourcesOf(vault)['TOKEN']).toMatchObject({ value: REDACTED });
    expect(sourcesOf(vault)['LOOKED_UP']).toMatchObject({
      headers: { Authorization: REDACTED, 'X-Session-API-Key': REDACTED, Accept: 'text/plain' },
    });
    expect(vault.stored.hiddenValues).toEqual([]);
    const next = restarted(vault);
    expect(next.missing.map(({ name }) => name)).toEqual(['CALLED', 'LOOKED_UP', 'TOKEN']);
    expect(await next.environmentFor('$TOKEN', never)).toEqual({
      environment: {},
      missing: [{ name: 'TOKEN', reason: expect.stringContaining('given again') }],
    });
  });

  test('P9: a value that was stored as plain text is used, and then stored redacted', async () => {
    const vault = loaded({ TOKEN: { kind: 'StaticSecret', value: 'a plain value' } });
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'a plain value' });
    expect(sourcesOf(vault)['TOKEN']).toEqual({ kind: 'StaticSecret', value: REDACTED });
  });

  test('ciphertext is not a value, and is kept for a process that has the key', () => {
    const stored = fullVault(fernetCipher(KEY)).stored;
    const vault = createSecretVault();
    vault.load(stored);
    expect(vault.missing.map(({ name }) => name)).toEqual(['CALLED', 'LOOKED_UP', 'TOKEN']);
    expect(vault.stored).toBe(stored);
    expect(restarted(vault, fernetCipher(KEY)).missing.map(({ name }) => name)).toEqual(['CALLED']);
  });
});

describe('what is read', () => {
  const cipher = fernetCipher(KEY);

  test.each([
    ['null', null],
    ['an empty text', ''],
    ['a blank one', '  '],
    ['a redacted one', REDACTED],
    ['a token of another key', fernetCipher('another').encrypt('the value')],
    ['a damaged token', `${cipher.encrypt('the value').slice(0, 40)}=`],
    ['a token of another key and kind', aesGcmCipher('another').encrypt('the value')],
  ])('%s is no value, and stays as it is', (_, value) => {
    const sources = { TOKEN: { kind: 'StaticSecret', value, description: 'd' } };
    const vault = loaded(sources, cipher);
    expect(vault.missing).toEqual([{ name: 'TOKEN', reason: expect.any(String) }]);
    expect(vault.stored.secretRegistry['secret_sources']).toBe(sources);
    expect(vault.secrets).toEqual([{ name: 'TOKEN', description: 'd' }]);
  });

  test('plain text is a value, and is stored encrypted', async () => {
    const vault = loaded({ TOKEN: { value: 'a plain value', later: 1 } }, cipher);
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'a plain value' });
    expect(sourcesOf(vault)['TOKEN']).toEqual({ value: expect.stringMatching(/^gAAAAA/), later: 1 });
  });

  test.each([
    ['a kind of later times', { kind: 'VaultSecret', path: 'x' }],
    ['no object', 5],
    ['a list', [1]],
    ['a lookup without its url', { kind: 'LookupSecret', headers: {} }],
    ['a lookup whose header was redacted', { kind: 'LookupSecret', url: '/x', headers: { Cookie: REDACTED } }],
  ])('%s is kept as it is, and is missing', (_, source) => {
    const sources = { TOKEN: source as Json };
    const vault = loaded(sources, cipher);
    expect(vault.missing.map(({ name }) => name)).toEqual(['TOKEN']);
    expect(vault.stored.secretRegistry['secret_sources']).toBe(sources);
    vault.update({ OTHER: 'another value' });
    expect(sourcesOf(vault)['TOKEN']).toBe(source);
  });

  test('P9: a value whose name no process can be given is masked all the same', async () => {
    const vault = loaded(
      { 'my-token': { value: cipher.encrypt('the value of my-token') }, PATH: { value: 'another value' } },
      cipher,
    );
    expect(vault.missing.map(({ name }) => name)).toEqual(['PATH', 'my-token']);
    expect(vault.masker.mask('the value of my-token')).toBe(SECRET_MASK);
    expect((await vault.environmentFor('$PATH my-token', never)).environment).toEqual({});
  });

  test('P9: a stored value that is too short is refused with a warning, and stays stored', async () => {
    const sources = { PIN: { value: cipher.encrypt('1234') } };
    let vault: SecretVault | undefined;
    const warnings = await warningsOf(() => {
      vault = loaded(sources, cipher);
    });
    expect(warnings).toEqual([expect.stringContaining('PIN')]);
    expect(vault?.missing.map(({ name }) => name)).toEqual(['PIN']);
    expect(vault?.stored.secretRegistry['secret_sources']).toBe(sources);
  });

  test.each([
    ['nothing', {}],
    ['sources that are none', { secret_sources: 'x' }],
  ])('a registry with %s has no secrets', (_, secretRegistry) => {
    const vault = createSecretVault({ cipher });
    vault.load({ secretRegistry, hiddenValues: [] });
    expect(vault.secrets).toEqual([]);
  });

  test('a cipher that fails has read nothing', () => {
    const fail = (): never => {
      throw new Error('no module');
    };
    const vault = loaded({ TOKEN: { value: cipher.encrypt('the value') } }, { encrypt: fail, decrypt: fail }, ['x']);
    expect(vault.missing.map(({ name }) => name)).toEqual(['TOKEN']);
  });

  test('other members of the registry are kept', () => {
    const vault = createSecretVault({ cipher });
    vault.load({ secretRegistry: { later: { a: 1 } }, hiddenValues: [] });
    vault.update({ TOKEN: 'the token value' });
    expect(vault.stored.secretRegistry).toMatchObject({ later: { a: 1 }, secret_sources: { TOKEN: {} } });
  });
});

describe('what is stored stays the same', () => {
  const cipher = fernetCipher(KEY);

  test('the stored object stays the same while nothing changes', async () => {
    const vault = fullVault(cipher);
    const { stored } = vault;
    expect(vault.stored).toBe(stored);
    vault.update({ TOKEN: { value: 'the token value', description: 'for deploying' } });
    vault.update({ LOOKED_UP: { kind: 'LookupSecret', url: '/api/secrets/one', headers: { ...headers } } });
    vault.update({ CALLED: () => 'another function' });
    vault.update({});
    await vault.environmentFor('$TOKEN', never);
    expect(vault.stored).toBe(stored);
  });

  test('the stored token stays the same for a value that did not change', () => {
    const vault = restarted(fullVault(cipher), cipher);
    const before = sourcesOf(vault);
    vault.update({
      TOKEN: { value: 'the token value', description: 'for something else' },
      LOOKED_UP: { kind: 'LookupSecret', url: '/api/secrets/two', headers: { ...headers, Accept: '*/*' } },
      NEW: 'a new value',
    });
    const after = sourcesOf(vault);
    expect(after['TOKEN']).toEqual({ ...before['TOKEN'], description: 'for something else' });
    expect(after['LOOKED_UP']?.['headers']).toEqual({ ...(before['LOOKED_UP']?.['headers'] as object), Accept: '*/*' });
    expect(after['CALLED']).toBe(before['CALLED']);
    expect(vault.stored.hiddenValues).toEqual([]);
  });

  test('the stored registry stays the same when only a hidden value is added', async () => {
    const vault = fullVault(cipher);
    const { stored } = vault;
    await vault.environmentFor('$CALLED', never);
    expect(vault.stored).not.toBe(stored);
    expect(vault.stored.secretRegistry).toBe(stored.secretRegistry);
    const { stored: second } = vault;
    await vault.environmentFor('$CALLED', never);
    expect(vault.stored).toBe(second);
  });
});

test('P12: at most a thousand hidden values are stored, the newest', () => {
  const plain: Cipher = { encrypt: (value) => `token:${value}`, decrypt: (token) => /^token:(.*)$/.exec(token)?.[1] };
  const vault = createSecretVault({ cipher: plain });
  for (let index = 0; index <= 1001; index += 1) vault.update({ TOKEN: `value number ${index}` });
  expect(vault.stored.hiddenValues.length).toBeLessThanOrEqual(1000);
  expect(vault.stored.hiddenValues.length).toBeGreaterThanOrEqual(800);
  expect(vault.stored.hiddenValues[0]).toBe('token:value number 200');
  expect(vault.stored.hiddenValues.at(-1)).toBe('token:value number 1000');
  expect(vault.masker.mask('value number 0')).toBe(SECRET_MASK);
});

describe('P9: what another conversation has stored', () => {
  const cipher = fernetCipher(KEY);

  test('P9: stored values of another conversation are masked, and give the vault no secret', () => {
    const other = fullVault(cipher);
    other.update({ TOKEN: 'another token value' });
    const vault = loaded({ OWN: { kind: 'StaticSecret', value: cipher.encrypt('a value of its own') } }, cipher);
    const { stored } = vault;
    vault.hideStored(other.stored);
    for (const value of ['the token value', 'another token value', 'tok_8fJ2kQ91xZ', 'a value of its own'])
      expect(vault.masker.mask(`<${value}>`)).not.toContain(value);
    expect(vault.secrets.map(({ name }) => name)).toEqual(['OWN']);
    expect(vault.stored).toBe(stored);
  });

  test('P9: stored values of another conversation are left out where they cannot be read', () => {
    const vault = createSecretVault({ cipher: fernetCipher('another key') });
    vault.hideStored({ ...fullVault(cipher).stored, hiddenValues: ['no token', cipher.encrypt('of another key')] });
    vault.hideStored({ secretRegistry: { secret_sources: 'nonsense' }, hiddenValues: [] });
    expect(vault.masker.mask('text stays')).toBe('text stays');
  });
});
