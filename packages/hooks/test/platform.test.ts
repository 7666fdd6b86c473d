import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { createHooks } from '../src/index.ts';
import { putToWork, stored } from './support/session.ts';

test('the given platform says when the time of a hook is over, and keeps no timer of a hook that answered', async () => {
  const platform = new ManualPlatform();
  const called = Promise.withResolvers<void>();
  const late = (): Promise<undefined> => {
    called.resolve();
    return new Promise(() => {});
  };
  const hooks = createHooks(
    {
      preToolUse: [
        {
          hooks: [
            { type: 'function', name: 'quick', run: () => undefined },
            { type: 'function', name: 'late', run: late, timeout: 600 },
          ],
        },
      ],
    },
    { platform },
  );
  const outcome = putToWork(hooks).run({ type: 'PreToolUse', toolName: 'terminal' });
  await called.promise;
  expect(platform.waits).toEqual([600_000]);
  platform.pass(600_000);
  const { blocked, reason, events } = await outcome;
  expect(blocked).toBe(true);
  expect(reason).toContain('it did not end within 600 s');
  expect(stored(events[1])).toMatchObject({ success: false });
  expect(platform.waits).toEqual([]);
});
