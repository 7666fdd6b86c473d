import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { Visits } from '../src/start/visits.ts';
import { newFolder } from './new-folder.ts';
import { launch } from './server-process.ts';

test('a server without visits is abandoned once, and a server with visits is not', () => {
  const platform = new ManualPlatform();
  const visits = new Visits(platform);
  let abandoned = 0;
  visits.watch(1000, () => (abandoned += 1));
  for (let second = 0; second < 5; second += 1) {
    platform.pass(1000);
    visits.note();
  }
  expect(abandoned).toBe(0);
  platform.pass(5000);
  expect(abandoned).toBe(1);
});

test('a server that no program visits ends in order, and says why', async () => {
  const { exitCode, stderr } = await launch({ cwd: newFolder(), env: { CONV_ABANDONED_SECONDS: '0.1' } });
  expect(stderr).toContain('abandoned: no request with a key for this long');
  expect(stderr).toContain('"msg":"stopped"');
  expect(exitCode).toBe(0);
});
