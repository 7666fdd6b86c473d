import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { conv, newFolder, onlyId, shown, untilThere } from './command.ts';

test('a command whose output nobody reads ends quietly', async () => {
  const setting = { cwd: newFolder() };
  await conv(setting, 'run', '`true`');
  const list = conv(setting, 'list');
  list.stdout.destroy();
  const { stderr, exitCode } = await list;
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
});

test('a run whose output nobody reads pauses, and resume goes on', async () => {
  const setting = { cwd: newFolder() };
  const run = conv(setting, 'run', '`touch begun; sleep 1` then `touch second`');
  await untilThere(join(setting.cwd, 'workspace/project/begun'));
  run.stdout.destroy();
  const { stderr, exitCode } = await run;
  expect(stderr).toContain('pausing after this step');
  expect(stderr).not.toContain('EPIPE');
  expect(exitCode).toBe(130);
  const id = await onlyId(setting);
  expect((await shown(setting, id)).executionStatus).toBe('paused');
  expect((await conv(setting, 'resume', id)).exitCode).toBe(0);
});

test('the scripted job whose output nobody reads ends, with its folder', async () => {
  const env = { TMPDIR: newFolder() };
  const job = conv({ cwd: newFolder(), env });
  job.stdout.once('data', () => job.stdout.destroy());
  const { stderr, exitCode } = await job;
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 130 });
  // the folder of a killed shell goes a moment later, when it is missed
  await expect.poll(() => readdirSync(env.TMPDIR), { timeout: 10_000 }).toEqual([]);
});
