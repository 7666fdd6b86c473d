import { SECRET_MASK } from '@conv/core';
import { ManualPlatform } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';
import { createSecretVault } from '../src/index.ts';

const never = new AbortController().signal;

describe('functions', () => {
  test('functions are called each time they are named, and another answer leaves the old one masked', async () => {
    let count = 0;
    const vault = createSecretVault();
    vault.update({ TOKEN: () => `answer number ${(count += 1)}`, OTHER: { get: async () => 'value of other' } });
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'answer number 1' });
    expect((await vault.environmentFor('$TOKEN $OTHER', never)).environment).toEqual({
      OTHER: 'value of other',
      TOKEN: 'answer number 2',
    });
    expect(vault.masker.mask('answer number 1, answer number 2')).toBe(`${SECRET_MASK}, ${SECRET_MASK}`);
  });

  test('functions are called on their object', async () => {
    const vault = createSecretVault();
    class Source {
      readonly #value = 'value of an object';
      get(): string {
        return this.#value;
      }
    }
    vault.update({ TOKEN: new Source() });
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'value of an object' });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('private words');
      },
    ],
    ['rejects', () => Promise.reject(new Error('private words'))],
    ['rejects with nothing', () => Promise.reject()],
    ['returns no text', () => 5 as unknown as string],
  ])('a source that %s has no value, and its words are not shown', async (_, get) => {
    const vault = createSecretVault();
    vault.update({ TOKEN: get, OTHER: 'value of other' });
    const { environment, missing } = await vault.environmentFor('$TOKEN $OTHER', never);
    expect(environment).toEqual({ OTHER: 'value of other' });
    expect(missing).toEqual([{ name: 'TOKEN', reason: expect.stringContaining('function') }]);
    expect(JSON.stringify(missing)).not.toContain('private');
  });

  test('functions that failed are left alone for ten seconds, and asked at the next naming after that', async () => {
    const platform = new ManualPlatform();
    let calls = 0;
    const vault = createSecretVault({ platform });
    vault.update({
      TOKEN: () => {
        calls += 1;
        if (calls < 3) throw new Error('not yet');
        return 'the value at last';
      },
    });
    for (const [time, expected] of [
      [0, 1],
      [9_999, 1],
      [10_000, 2],
      [19_999, 2],
      [20_000, 3],
      [20_001, 4],
    ] as const) {
      platform.pass(time - platform.now());
      await vault.environmentFor('$TOKEN', never);
      expect(calls).toBe(expected);
      expect(vault.missing).toHaveLength(calls < 3 ? 1 : 0);
    }
  });

  test('functions are called once for callers that name them at the same time', async () => {
    let calls = 0;
    const { promise, resolve } = Promise.withResolvers<string>();
    const vault = createSecretVault();
    vault.update({ TOKEN: () => ((calls += 1), promise) });
    const both = Promise.all([vault.environmentFor('$TOKEN', never), vault.environmentFor('$TOKEN', never)]);
    resolve('the shared value');
    expect((await both).map(({ environment }) => environment)).toEqual([
      { TOKEN: 'the shared value' },
      { TOKEN: 'the shared value' },
    ]);
    expect(calls).toBe(1);
  });

  test('a secret replaced while its source is asked has its new value, a removed secret has none', async () => {
    const first = Promise.withResolvers<string>();
    const vault = createSecretVault();
    vault.update({ A: () => first.promise, B: () => first.promise });
    const named = vault.environmentFor('$A $B', never);
    vault.update({ A: 'the new value of a', B: null });
    first.resolve('the old value');
    expect(await named).toEqual({ environment: { A: 'the new value of a' }, missing: [] });
    expect(vault.masker.mask('the old value')).toBe(SECRET_MASK);
  });

  test('P6: a value that cannot be encrypted is not given away', async () => {
    const vault = createSecretVault({
      cipher: {
        encrypt: () => {
          throw new Error('no key');
        },
        decrypt: () => undefined,
      },
    });
    vault.update({ TOKEN: () => 'the value of it' });
    expect((await vault.environmentFor('$TOKEN', never)).missing).toEqual([
      { name: 'TOKEN', reason: 'its value could not be encrypted' },
    ]);
    expect(vault.masker.mask('the value of it')).toBe(SECRET_MASK);
  });
});
