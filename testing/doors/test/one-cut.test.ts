import { isCi } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { play } from './play.ts';

// CI plays more, as a guard of its own
test.skipIf(isCi)('P11: a client that comes back through another protocol shows the log', async () => {
  const { exitCode, lines } = await play('--', '--rounds', '1', '--every', '20', '--kills', '0', '--door', 'stream');
  expect(lines).toEqual([{ door: 'stream', cuts: expect.any(Number), missing: 0, duplicated: 0, misordered: 0 }]);
  expect(lines[0]?.cuts).toBeGreaterThan(0);
  expect(exitCode).toBe(0);
});

test('a door that is not there is refused by name', async () => {
  expect(await play('--door', 'window')).toEqual({ exitCode: 1, lines: [] });
});
