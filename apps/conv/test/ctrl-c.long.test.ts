import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test, vi } from 'vitest';

import { conv, convProcess, onlyId, shown, untilThere } from './command.ts';
import { newFolder } from './new-folder.ts';

test('Ctrl-C once lets the step end and pauses; resume goes on with the next one', async () => {
  const setting = { cwd: newFolder() };
  const project = join(setting.cwd, 'workspace/project');
  const run = convProcess(setting, 'run', '`touch begun; until [ -e go ]; do sleep 0.1; done` then `touch second`');
  await untilThere(join(project, 'begun'));
  let said = '';
  run.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  run.kill('SIGINT');
  await vi.waitUntil(() => said.includes('pausing after this step'), { timeout: 100_000 });
  writeFileSync(join(project, 'go'), '');
  const { exitCode, stderr } = await run;
  const id = await onlyId(setting);
  expect(exitCode).toBe(130);
  expect(stderr).toContain(`continue with: conv resume ${id}`);
  const paused = await shown(setting, id);
  expect(paused.executionStatus).toBe('paused');
  expect(paused.events.at(-1)?.kind).toBe('PauseEvent');
  expect(existsSync(join(project, 'second'))).toBe(false);
  expect((await conv(setting, 'resume', id)).exitCode).toBe(0);
  expect(existsSync(join(project, 'second'))).toBe(true);
});

test('P7: Ctrl-C twice stops the tool at once; its call has a result and nothing of it runs on', async () => {
  const setting = { cwd: newFolder() };
  const project = join(setting.cwd, 'workspace/project');
  const run = convProcess(setting, 'run', '`touch begun; sleep 50; touch never`');
  await untilThere(join(project, 'begun'));
  let said = '';
  run.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  run.kill('SIGINT');
  await vi.waitUntil(() => said.includes('pausing after this step'), { timeout: 100_000 });
  run.kill('SIGINT');
  const { exitCode } = await run;
  expect(exitCode).toBe(130);
  const { executionStatus, events } = await shown(setting, await onlyId(setting));
  expect(executionStatus).toBe('paused');
  expect(events.map(({ kind }) => kind).slice(-2)).toEqual(['AgentErrorEvent', 'InterruptEvent']);
  expect(existsSync(join(project, 'never'))).toBe(false);
});
