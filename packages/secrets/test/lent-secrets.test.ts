import { SECRET_MASK } from '@conv/core';
import { describe, expect, test } from 'vitest';
import { createSecretVault, fernetCipher } from '../src/index.ts';

const never = new AbortController().signal;
const cipher = fernetCipher('a long random text');

describe('the secrets that an agent lends', () => {
  test('P9: lent secrets reach the process that names them, are masked, and are not stored', async () => {
    const vault = createSecretVault({ cipher });
    vault.lend?.({ A_TOKEN: 'value-of-the-first', B_TOKEN: { kind: 'StaticSecret', value: 'value-of-the-second' } });
    const { environment } = await vault.environmentFor('$A_TOKEN $B_TOKEN', never);
    expect(environment).toEqual({ A_TOKEN: 'value-of-the-first', B_TOKEN: 'value-of-the-second' });
    expect(vault.masker.mask('it is value-of-the-first')).toBe(`it is ${SECRET_MASK}`);
    expect(vault.secrets.map(({ name }) => name)).toEqual(['A_TOKEN', 'B_TOKEN']);
    expect(vault.stored.secretRegistry).toEqual({});
  });

  test('secrets of an agent give way to a secret of the conversation that has a value, in any order', async () => {
    const vault = createSecretVault({ cipher });
    vault.lend?.({ TOKEN: 'value-of-the-agent' });
    vault.update({ TOKEN: 'value-of-the-request' });
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'value-of-the-request' });
    const again = createSecretVault({ cipher });
    again.load(vault.stored);
    again.lend?.({ TOKEN: 'value-of-the-agent' });
    expect((await again.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'value-of-the-request' });
  });

  test('lent secrets stand in for a secret of the conversation that lost its value', async () => {
    const first = createSecretVault();
    first.update({ TOKEN: 'value-of-the-request' });
    const vault = createSecretVault();
    vault.load(first.stored);
    expect(vault.missing.map(({ name }) => name)).toEqual(['TOKEN']);
    vault.lend?.({ TOKEN: 'value-of-the-agent' });
    expect(vault.missing).toEqual([]);
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'value-of-the-agent' });
  });

  test('P13: secrets of an agent without a value, or encrypted with another key, are missing by name', () => {
    const vault = createSecretVault({ cipher });
    const token = fernetCipher('another long text').encrypt('value-of-the-agent');
    vault.lend?.({ LOST: '**********', OTHER: token, ODD: 7 });
    expect(vault.missing.map(({ name }) => name)).toEqual(['LOST', 'ODD', 'OTHER']);
  });
});
