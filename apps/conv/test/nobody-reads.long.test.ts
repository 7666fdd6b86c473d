import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { commandOf, conv, convProcess, onlyId, shown, untilThere } from './command.ts';
import { newFolder } from './new-folder.ts';

test('a command whose output has no reader ends quietly', async () => {
  // it prints also where there is nothing to list
  const list = convProcess({ cwd: newFolder() }, 'list', '--json');
  list.stdout.destroy();
  const { stderr, exitCode } = await list;
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
});

test('a command whose output is cut off ends quietly', async () => {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const output = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[reader]] = (await Promise.all([once(server, 'connection'), once(output, 'connect')])) as [[Socket], unknown];
  output.on('error', () => {});
  const { file, args, env } = commandOf('list', '--json');
  const list = spawn(file, args, { cwd: newFolder(), env, stdio: ['ignore', output, 'pipe'] });
  reader.resetAndDestroy();
  const [stderr, [exitCode]] = await Promise.all([text(list.stderr), once(list, 'close')]);
  output.destroy();
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
});

test('a run whose output has no reader pauses, and resume goes on', async () => {
  const setting = { cwd: newFolder() };
  const project = join(setting.cwd, 'workspace/project');
  const run = convProcess(setting, 'run', '`mkfifo go && touch begun && cat go` then `touch second`');
  await untilThere(join(project, 'begun'));
  run.stdout.destroy();
  // the first command ends only now, after its output has lost its reader
  await writeFile(join(project, 'go'), 'go on');
  const { stderr, exitCode } = await run;
  expect(stderr).toContain('pausing after this step');
  expect(stderr).not.toContain('EPIPE');
  expect(exitCode).toBe(130);
  const id = await onlyId(setting);
  expect((await shown(setting, id)).executionStatus).toBe('paused');
  expect((await conv(setting, 'resume', id)).exitCode).toBe(0);
});
