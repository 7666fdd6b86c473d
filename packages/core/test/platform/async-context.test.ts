import { afterEach, expect, test, vi } from 'vitest';

import { createAsyncContext } from '../../src/platform/async-context.ts';

afterEach(() => void vi.unstubAllGlobals());

test('the value follows promises in Node', async () => {
  const context = createAsyncContext<string>();
  const seen = await context.run('inside', async () => {
    await Promise.resolve();
    return context.getStore();
  });
  expect(seen).toBe('inside');
  expect(context.getStore()).toBeUndefined();
});

test('the value holds until the function returns where the host has no such storage', () => {
  vi.stubGlobal('process', undefined);
  const context = createAsyncContext<string>();
  const seen = context.run('outer', () => {
    const inner = context.run('inner', () => context.getStore());
    return [inner, context.getStore()];
  });
  expect(seen).toEqual(['inner', 'outer']);
  expect(() =>
    context.run('failed', () => {
      throw new Error('work');
    }),
  ).toThrow('work');
  expect(context.getStore()).toBeUndefined();
});
