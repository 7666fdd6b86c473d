import { expect, test } from 'vitest';

import { NOTHING, TIMEOUT, play } from './play.ts';

test('P1 P5 P11: two servers end and start in turn for two seconds, and nothing is lost or done twice', async () => {
  const { exitCode, result } = await play('--servers', '2', '--rolling', '--seconds', '2', '--seed', '21', ...TIMEOUT);
  expect(result).toMatchObject(NOTHING);
  expect(result.takeovers).toBeGreaterThan(0);
  expect(exitCode).toBe(0);
});
