import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemPlatform } from '@conv/core/platform';
import { expect, onTestFinished, test } from 'vitest';

import { Shell } from '../../src/terminal/shell.ts';

test.each([
  ['', ''],
  [', with a program in the background that keeps the terminal', 'trap "" HUP; sleep 1000 &'],
])('output that was not read when the shell ended is read before the end is told%s', async (_, first) => {
  const workingDirectory = mkdtempSync(join(tmpdir(), 'unread-'));
  onTestFinished(() => rmSync(workingDirectory, { recursive: true, force: true }));
  const ended = Promise.withResolvers<void>();
  let output = '';
  const options = { platform: systemPlatform, workingDirectory, environment: process.env, mask: String };
  const shell: Shell = await Shell.start(options, {
    text: (text) => {
      output += text;
      shell.pause();
    },
    started: () => undefined,
    ended: () => undefined,
    exited: () => ended.resolve(),
  });
  onTestFinished(async () => {
    shell.kill();
    await shell.release();
  });
  await shell.run(`${first} echo first; seq 2000; echo last; exit`, {});
  await ended.promise;
  expect(output).toMatch(/(?:^|\n)first\n[^]*\n2000\nlast\n/);
});
