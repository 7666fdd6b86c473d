import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemPlatform } from '@conv/core/platform';
import { expect, onTestFinished, test } from 'vitest';

import { runCommand } from '../src/run-command.ts';
import { dies, lineOf } from './support/processes.ts';

test('output of processes that a command left behind is read after the command has ended', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'conv-hooks-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const { signal } = new AbortController();
  const command = 'echo $$ > shell; (while [ ! -e go ]; do sleep 0.01; done; echo late) & echo early';
  const end = runCommand(command, '', {
    platform: systemPlatform,
    directory,
    environment: { PATH: process.env['PATH'] ?? '' },
    signal,
    linger: 60_000,
  });
  await dies(await lineOf(join(directory, 'shell')));
  await writeFile(join(directory, 'go'), '');
  const { exitCode, stdout } = await end;
  expect({ exitCode, stdout: stdout.text }).toEqual({ exitCode: 0, stdout: 'early\nlate\n' });
});
