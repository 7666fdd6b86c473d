import { SECRET_MASK } from '@conv/core';
import { describe, expect, test } from 'vitest';
import { createSecretVault, fernetCipher } from '../src/index.ts';

const never = new AbortController().signal;

describe('functions', () => {
  test('P7: a caller that gives up is released at once, and the others get the value', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let aborted = false;
    const vault = createSecretVault();
    vault.update({
      TOKEN: {
        get: ({ signal }) => {
          signal.addEventListener('abort', () => (aborted = true));
          return promise;
        },
      },
    });
    const controller = new AbortController();
    const impatient = vault.environmentFor('$TOKEN', controller.signal);
    const patient = vault.environmentFor('$TOKEN', never);
    const reason = new Error('interrupted');
    controller.abort(reason);
    await expect(impatient).rejects.toBe(reason);
    expect(aborted).toBe(false);
    resolve('the patient value');
    expect((await patient).environment).toEqual({ TOKEN: 'the patient value' });
    expect(aborted).toBe(false);
  });

  test('P7: a source without waiting callers is told to stop, and its answer is masked if it comes', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const signals: AbortSignal[] = [];
    const vault = createSecretVault({ cipher: fernetCipher('key') });
    vault.update({
      TOKEN: {
        get: ({ signal }) => {
          signals.push(signal);
          return signals.length === 1 ? promise : 'the second answer';
        },
      },
    });
    const controller = new AbortController();
    const waiting = vault.environmentFor('$TOKEN', controller.signal);
    controller.abort();
    await expect(waiting).rejects.toBe(controller.signal.reason);
    expect(signals[0]?.aborted).toBe(true);
    expect(vault.missing).toEqual([]);
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'the second answer' });
    resolve('the first answer');
    await promise;
    await expect.poll(() => vault.masker.mask('the first answer')).toBe(SECRET_MASK);
    expect(vault.stored.hiddenValues).toHaveLength(2);
  });

  test('functions that fail after every caller gave up are asked at the next naming', async () => {
    const first = Promise.withResolvers<string>();
    let calls = 0;
    const vault = createSecretVault();
    vault.update({ TOKEN: () => ((calls += 1), calls === 1 ? first.promise : 'the second answer') });
    const controller = new AbortController();
    const waiting = vault.environmentFor('$TOKEN', controller.signal);
    controller.abort();
    await expect(waiting).rejects.toBe(controller.signal.reason);
    first.reject(new Error('stopped'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(vault.missing).toEqual([]);
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'the second answer' });
  });
});
