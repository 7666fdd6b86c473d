import { ConversationError } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { expect, test } from 'vitest';

import { openWhenFree } from '../../src/children/open-when-free.ts';

const owned = new ConversationError('OWNED', 'somebody has it');

test('opening an owned conversation is tried again, and other failures are not', async () => {
  const signal = new AbortController().signal;
  let tries = 0;
  const open = (): Promise<number> => (++tries < 3 ? Promise.reject(owned) : Promise.resolve(tries));
  expect(await openWhenFree(open, signal, systemPlatform)).toBe(3);
  const missing = new ConversationError('NOT_FOUND', 'it is not there');
  const none = (): Promise<never> => {
    tries++;
    return Promise.reject(missing);
  };
  await expect(openWhenFree(none, signal, systemPlatform)).rejects.toBe(missing);
  expect(tries).toBe(4);
});

test('an aborted opening rejects with the reason at once', async () => {
  const controller = new AbortController();
  const reason = new Error('interrupted');
  let tries = 0;
  const open = (): Promise<never> => {
    tries++;
    controller.abort(reason);
    return Promise.reject(owned);
  };
  await expect(openWhenFree(open, controller.signal, systemPlatform)).rejects.toBe(reason);
  expect(tries).toBe(1);
});
