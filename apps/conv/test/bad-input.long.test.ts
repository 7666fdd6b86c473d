import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { inCi } from '@conv/testing-harness';
import { createModelServer, nonsense } from '@conv/testing-model-server';
import { describe, expect, test } from 'vitest';

import { conv, convProcess, onlyId, type Setting, shown, untilThere } from './command.ts';
import { newFolder } from './new-folder.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('ids', () => {
  test.each(['show', 'resume', 'replay', 'fork', 'messages', 'diagram'])(
    '%s of an unknown conversation names it and ends with 3',
    async (command) => {
      const { stderr, exitCode } = await conv({ cwd: newFolder() }, command, UNKNOWN);
      expect(oneLine(stderr)).toContain(UNKNOWN);
      expect(exitCode).toBe(3);
    },
  );

  test.each(['nonsense', '../../etc/passwd', '..', `${UNKNOWN}/../x`, ''])('the id %j ends with 2', async (id) => {
    for (const command of ['show', 'resume', 'fork']) {
      const { stderr, exitCode } = await conv({ cwd: newFolder() }, command, id);
      expect(oneLine(stderr)).toContain('expected an id or at least its first 4 characters');
      expect(exitCode).toBe(2);
    }
  });

  test('the start of no id ends with 3', async () => {
    const { stderr, exitCode } = await conv({ cwd: newFolder() }, 'show', 'abcd1234');
    expect(oneLine(stderr)).toContain('no conversation begins with abcd1234');
    expect(exitCode).toBe(3);
  });
});

describe('arguments', () => {
  const mistakes = [
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['run'], 'missing required argument'],
    [['run', ' '], 'the task is empty; say what the agent is to do'],
    [['run', 'x', '--workspace', '/dev/null'], 'the workspace /dev/null is not a folder; name one with --workspace'],
    [['resume', UNKNOWN, ' '], 'the message is empty; write one, or leave it out'],
    [['run', 'x', '--tools', 'telepathy'], 'unknown tool "telepathy"'],
    [['run', 'x', '--max-iterations', 'many'], 'whole number from 1'],
    [['run', 'x', '--max-iterations', '0'], 'whole number from 1'],
    [['run', 'x', '--tool-concurrency', 'many'], 'whole number from 1'],
    [['run', 'x', '--sandbox', 'off', '--sandbox-read', '.'], 'has no effect without a sandbox'],
    [['messages', UNKNOWN, '--format', 'xml'], 'Allowed choices are chat, responses'],
    [['resume', UNKNOWN, '--approve', '--reject'], 'not both'],
  ] as const;

  // all are found by the same parser
  test.each(inCi(mistakes, 3))('%j ends with 2 and says %j', async (args, message) => {
    const { stderr, exitCode } = await conv({ cwd: newFolder() }, ...args);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });

  test('an event number behind the end ends with 2 and names the span', async () => {
    const setting = { cwd: newFolder() };
    await conv(setting, 'run', '`true`');
    const id = await onlyId(setting);
    for (const command of ['show', 'fork']) {
      const { stderr, exitCode } = await conv(setting, command, id, '--at', '99');
      expect(oneLine(stderr)).toContain('there is no event 99: expected a number from 0 to 4');
      expect(exitCode).toBe(2);
    }
  });
});

test('tools that were removed are named, end with 5, and change nothing', async () => {
  const setting = { cwd: newFolder() };
  await conv(setting, 'run', '`true`');
  const id = await onlyId(setting);
  const before = await shown(setting, id);
  const { stderr, exitCode } = await conv(setting, 'resume', id, 'more', '--tools', 'terminal');
  expect(oneLine(stderr)).toContain('file_editor, task_tracker');
  expect(exitCode).toBe(5);
  expect(await shown(setting, id)).toEqual(before);
});

test('P2: a second writer is told who owns it and ends with 4, and may read', async () => {
  const setting = { cwd: newFolder() };
  const first = convProcess(setting, 'run', '`touch begun; until [ -e go ]; do sleep 0.1; done`');
  await untilThere(join(setting.cwd, 'workspace/project/begun'));
  const id = await onlyId(setting);
  const second = await conv(setting, 'resume', id, 'me too');
  expect(oneLine(second.stderr)).toMatch(
    new RegExp(`conversation ${id} is owned by pid ${first.pid} .*(until|as long as)`),
  );
  expect(second.exitCode).toBe(4);
  const { executionStatus } = await shown(setting, id);
  expect(executionStatus).toBe('running');
  writeFileSync(join(setting.cwd, 'workspace/project/go'), '');
  expect((await first).exitCode).toBe(0);
});

describe('models', () => {
  test('a missing key is named and ends with 6, with nothing made', async () => {
    const setting = { cwd: newFolder(), env: { LLM_MODEL: 'openai/gpt-5' } };
    const { stderr, exitCode } = await conv(setting, 'run', 'x');
    expect(oneLine(stderr)).toContain('LLM_API_KEY is not set');
    expect(exitCode).toBe(6);
    expect(readdirSync(setting.cwd)).toEqual([]);
  });

  test('an unreachable model ends with 6, and the conversation can be resumed', async () => {
    const server = await createModelServer({ script: [] });
    await server.close();
    const setting = { cwd: newFolder(), env: modelAt(server.url) };
    const { stderr, exitCode } = await conv(setting, 'run', 'x');
    expect(stderr.split('\n').at(-1)).toMatch(/^conv: .*local/);
    expect(exitCode).toBe(6);
    const id = await onlyId(setting);
    expect((await shown(setting, id)).executionStatus).toBe('error');
    expect((await conv({ cwd: setting.cwd }, 'resume', id)).exitCode).toBe(6);
    expect((await conv({ cwd: setting.cwd }, 'resume', id, '--scripted')).exitCode).toBe(0);
  });

  test('a model that answers nonsense ends with 6', async () => {
    await using server = await createModelServer({ script: () => nonsense() });
    const setting = { cwd: newFolder(), env: modelAt(server.url) };
    const { stderr, exitCode } = await conv(setting, 'run', 'x');
    expect(stderr.split('\n').at(-1)).toMatch(/^conv: /);
    expect(exitCode).toBe(6);
  });
});

test('P4: the rest of a damaged conversation is shown, the damage is named, and the command ends with 7', async () => {
  const setting: Setting = { cwd: newFolder() };
  await conv(setting, 'run', '`echo a` `echo b` `echo c`');
  const id = await onlyId(setting);
  const before = await shown(setting, id);
  damageLog(join(setting.cwd, 'workspace/conversations', id.replaceAll('-', ''), '.conv'), before.events[4]?.id ?? '');
  const { stdout, stderr, exitCode } = await conv(setting, 'show', id, '--json');
  expect(stderr).toMatch(/commits? \d+.* cannot be read/);
  expect(exitCode).toBe(7);
  const rest = (JSON.parse(stdout) as { events: { id: string }[] }).events.map((event) => event.id);
  expect(rest.length).toBeGreaterThan(4);
  expect(before.events.map((event) => event.id)).toEqual(expect.arrayContaining(rest));
});

function damageLog(folder: string, near: string): void {
  const name = readdirSync(folder).find((file) => file.endsWith('.wal')) ?? '';
  const log = readFileSync(join(folder, name));
  const at = log.indexOf(near);
  expect(at).toBeGreaterThan(0);
  log.fill(0xff, at, at + 8);
  writeFileSync(join(folder, name), log);
}

function modelAt(url: string): Record<string, string> {
  return { LLM_MODEL: 'openai/local', LLM_BASE_URL: url };
}

function oneLine(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line !== '');
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}
