import {
  isConversationError,
  SECRET_MASK,
  type SecretInput,
  type SecretVault,
  type SecretVaultFactory,
} from '@conv/core';
import { describe, expect, test } from 'vitest';
import { createSecretVault, fernetCipher } from '../src/index.ts';
import { warningsOf } from './warnings.ts';

const never = new AbortController().signal;

/** The contract's factory: a vault is made with a cipher or without. */
const factory: SecretVaultFactory = createSecretVault;

function vaultOf(secrets: Record<string, SecretInput>): SecretVault {
  const vault = factory({});
  vault.update(secrets);
  return vault;
}

async function namesFor(vault: SecretVault, text: string): Promise<readonly string[]> {
  return Object.keys((await vault.environmentFor(text, never)).environment);
}

describe('which secrets a command names', () => {
  const vault = vaultOf({ B_TOKEN: 'value of b token', A_TOKEN: 'value of a token', TOKEN: 'value of token' });

  test.each([
    '$B_TOKEN',
    '${B_TOKEN}',
    '"$B_TOKEN"',
    '%B_TOKEN%',
    '$env:B_TOKEN',
    'os.environ["B_TOKEN"]',
    "process.env['B_TOKEN']",
    'process.env.B_TOKEN',
    'printenv B_TOKEN',
    'B_TOKEN',
    'x-B_TOKEN-x',
    'éB_TOKENé',
  ])('P9: the command %s names B_TOKEN and no other', async (command) => {
    expect(await namesFor(vault, command)).toEqual(['B_TOKEN']);
  });

  test.each(['grep my_b_token file', '$b_token', 'MY_B_TOKEN', 'B_TOKENS', 'B_TOKEN_2', '0B_TOKEN', 'B-TOKEN_', ''])(
    'P9: the command %j names no secret, so that none is exported',
    async (command) => {
      expect(await vault.environmentFor(command, never)).toEqual({ environment: {}, missing: [] });
    },
  );

  test('P9: a command gets the secrets that it names, in the order of their names', async () => {
    const { environment, missing } = await vault.environmentFor('$TOKEN $B_TOKEN $A_TOKEN $OTHER $TOKEN', never);
    expect(Object.entries(environment)).toEqual([
      ['A_TOKEN', 'value of a token'],
      ['B_TOKEN', 'value of b token'],
      ['TOKEN', 'value of token'],
    ]);
    expect(missing).toEqual([]);
  });
});

describe('what is refused', () => {
  test('P13: secrets that are no object, and a cipher that is none, are refused by name', () => {
    for (const wrong of ['A=b', ['b'], null])
      expect(() => factory({}).update(wrong as never)).toThrow('secrets: expected an object such as');
    for (const cipher of ['a key', {}, null, fernetCipher])
      expect(() => factory({ cipher: cipher as never })).toThrow(
        'createSecretVault: cipher: expected a cipher such as',
      );
  });

  test.each(
    [
      ['', '1TOKEN', 'MY-TOKEN', 'MY TOKEN', 'TÖKEN', 'A=B', 'X'.repeat(65), 'A\0B'],
      ['PATH', 'Path', 'HOME', 'LD_PRELOAD', 'LD_ANYTHING', 'DYLD_INSERT_LIBRARIES', 'BASH_ENV', 'ENV', 'IFS', 'PS4'],
      ['PROMPT_COMMAND', 'NODE_OPTIONS', 'PYTHONPATH', 'GIT_SSH_COMMAND', 'GIT_CONFIG_COUNT', '__proto__'],
    ].flat(),
  )('P13: a secret cannot be called %j', (name) => {
    const vault = vaultOf({ OLD: 'the old value' });
    const { stored } = vault;
    // A name written in a literal would not be an own property for `__proto__`.
    const secrets = Object.fromEntries([
      ['NEW', 'a new value'],
      [name, 'the named value'],
    ]);
    const error = thrown(() => vault.update(secrets));
    expect(isConversationError(error, 'INVALID_INPUT')).toBe(true);
    expect(String(error)).toContain(JSON.stringify(name));
    expect(String(error)).not.toContain('value');
    expect(vault.stored).toBe(stored);
    expect(vault.secrets.map((secret) => secret.name)).toEqual(['OLD']);
  });

  test.each(['X', '_TOKEN', 'a_token', 'TOKEN_2', 'GITHUB_TOKEN', 'X'.repeat(64)])(
    'a secret may be called %s',
    (name) => {
      expect(vaultOf({ [name]: 'some value' }).secrets).toEqual([{ name, description: null }]);
    },
  );

  test.each([
    ['a number', 5],
    ['nothing', undefined],
    ['an object of no kind', {}],
    ['an unknown kind', { kind: 'OtherSecret', value: 'hidden-value' }],
    ['a value that is not text', { value: 12345678 }],
    ['a value with a NUL', 'hidden-value\0'],
    ['a value that no environment takes', 'hidden-value'.repeat(10_000)],
    ['a description that is not text', { value: 'hidden-value', description: 5 }],
    ['a lookup without url', { kind: 'LookupSecret' }],
    ['a password in the url', { kind: 'LookupSecret', url: 'https://me:hidden-value@host/' }],
    ['a token in the url', { kind: 'LookupSecret', url: '/secrets/one?access_token=hidden-value' }],
    ['headers that are none', { kind: 'LookupSecret', url: 'http://host', headers: ['hidden-value'] }],
    [
      'a header that cannot be sent',
      { kind: 'LookupSecret', url: 'http://host', headers: { 'X-Key': 'hidden-value\nmore' } },
    ],
  ])('P13: %s is no source, and nothing changes', (_, source) => {
    const vault = vaultOf({});
    const { stored } = vault;
    const error = thrown(() => vault.update({ GOOD: 'a good value', WRONG: source as SecretInput }));
    expect(isConversationError(error, 'INVALID_INPUT')).toBe(true);
    expect(String(error)).toContain('"WRONG"');
    expect(`${String(error)} ${String((error as Error).cause)}`).not.toContain('hidden-value');
    expect(vault.stored).toBe(stored);
    expect(vault.masker.version).toBe(0);
  });

  test.each(['', 'e', 'seven77', 'seven77\n', 'secret-hidden'])(
    'P9: the value %j is refused with one warning',
    async (value) => {
      const vault = vaultOf({});
      const warnings = await warningsOf(() => {
        vault.update({ PIN: value });
        vault.update({ PIN: value });
      });
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('PIN');
      expect(warnings[0]).not.toContain('seven77');
      expect(vault.missing.map(({ name }) => name)).toEqual(['PIN']);
      expect(vault.secrets).toEqual([]);
      expect(vault.masker.mask('seven77 eels')).toBe('seven77 eels');
      const { environment, missing } = await vault.environmentFor('$PIN', never);
      expect(environment).toEqual({});
      expect(missing).toEqual(vault.missing);
    },
  );
});

describe('what is masked', () => {
  test('P9: a rotated secret is masked with its new value and with its old one', async () => {
    const vault = vaultOf({ TOKEN: 'the first value' });
    const { version } = vault.masker;
    vault.update({ TOKEN: { value: 'the second value', description: 'rotated' } });
    expect(vault.masker.version).toBeGreaterThan(version);
    expect(vault.masker.mask('the first value, the second value')).toBe(`${SECRET_MASK}, ${SECRET_MASK}`);
    expect(await vault.environmentFor('$TOKEN', never)).toEqual({
      environment: { TOKEN: 'the second value' },
      missing: [],
    });
    expect(vault.secrets).toEqual([{ name: 'TOKEN', description: 'rotated' }]);
  });

  test('P9: a removed secret is exported no more and masked still', async () => {
    const vault = vaultOf({ TOKEN: 'the first value', OTHER: 'the other value' });
    vault.update({ TOKEN: null, NEVER_THERE: null });
    expect(await namesFor(vault, '$TOKEN $OTHER')).toEqual(['OTHER']);
    expect(vault.masker.mask('the first value')).toBe(SECRET_MASK);
    expect(vault.secrets.map(({ name }) => name)).toEqual(['OTHER']);
  });

  test('P9: hidden values are masked and are no secrets; short ones are ignored without a word', async () => {
    const vault = vaultOf({});
    const { stored } = vault;
    expect(await warningsOf(() => vault.hide(['sk-key-of-a-model', 'short']))).toEqual([]);
    expect(vault.masker.mask('sk-key-of-a-model short')).toBe(`${SECRET_MASK} short`);
    expect(vault.stored).toBe(stored);
    expect(vault.secrets).toEqual([]);
  });

  test('P9: the secret headers of a lookup are masked, with and without their scheme', () => {
    const headers = { Authorization: 'Bearer tok_8fJ2kQ91xZ', Accept: 'text/plain; q=0.9' };
    const vault = vaultOf({ TOKEN: { kind: 'LookupSecret', url: 'http://host/', headers } });
    expect(vault.masker.mask('tok_8fJ2kQ91xZ, Bearer tok_8fJ2kQ91xZ')).toBe(`${SECRET_MASK}, ${SECRET_MASK}`);
    expect(vault.masker.mask('text/plain; q=0.9')).toBe('text/plain; q=0.9');
  });
});

test.each([
  ['secret-hidden', 'is part of the text'],
  [`before ${SECRET_MASK} after`, 'contains the text'],
])('P9: the warning of %j says what is wrong with it', async (value, reason) => {
  const warnings = await warningsOf(() => vaultOf({ PIN: value }));
  expect(warnings).toEqual([`secret PIN is not used: its value ${reason} that stands for values`]);
});

test('a static value that was given redacted is missing, not ten asterisks', () => {
  const vault = vaultOf({
    TOKEN: '**********',
    OTHER: { kind: 'StaticSecret', value: null } as unknown as SecretInput,
  });
  expect(vault.missing.map(({ name }) => name)).toEqual(['OTHER', 'TOKEN']);
  expect(vault.masker.mask('**********')).toBe('**********');
});

test('a token that the same key made is taken for the value in it', async () => {
  const cipher = fernetCipher('key');
  const token = cipher.encrypt('the value in it');
  const vault = createSecretVault({ cipher });
  vault.update({ TOKEN: { value: token, description: 'given back by a client' } });
  expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'the value in it' });
  expect(vault.stored.secretRegistry).toMatchObject({ secret_sources: { TOKEN: { value: token } } });
});

test('an environment is not made for a caller that has given up', async () => {
  const vault = vaultOf({ TOKEN: 'some value' });
  const reason = new Error('given up');
  await expect(vault.environmentFor('$TOKEN', AbortSignal.abort(reason))).rejects.toBe(reason);
});

function thrown(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test('P9: a secret whose value is refused is not offered to the model, and is listed as missing', async () => {
  const warned = await warningsOf(async () => {
    const vault = vaultOf({ PIN: '1234', TOKEN: 'value of token' });
    expect(vault.secrets.map(({ name }) => name)).toEqual(['TOKEN']);
    expect(vault.missing).toEqual([{ name: 'PIN', reason: 'its value has fewer than 8 characters' }]);
  });
  expect(warned.length).toBeGreaterThan(0);
});
