import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { beforeAll, describe, expect, test } from 'vitest';

import { conv, convProcess, onlyId, type Setting, shown } from './command.ts';
import { newFolder } from './new-folder.ts';

describe('commands on one conversation', () => {
  const setting: Setting = { cwd: newFolder() };
  let id: string;

  let run: Awaited<ReturnType<typeof conv>>;

  beforeAll(async () => {
    run = await conv(setting, 'run', 'please: `echo first > made.txt` and `cat made.txt`');
    id = await onlyId(setting);
  });

  test('run names the conversation and the model, shows what happens, and says how to go on', () => {
    expect(run.stderr).toContain(`conversation ${id}`);
    expect(run.stderr).toContain('a script answers at http://127.0.0.1:');
    expect(run.stdout).toContain('$ cat made.txt');
    expect(run.stderr).toContain(`conv resume ${id}`);
    expect(run.exitCode).toBe(0);
  });

  test('run works in workspace/project and keeps conversations in workspace/conversations', () => {
    expect(readFileSync(join(setting.cwd, 'workspace/project/made.txt'), 'utf8')).toBe('first\n');
    expect(readdirSync(join(setting.cwd, 'workspace/conversations'))).toEqual([id.replaceAll('-', '')]);
  });

  test('list shows id, status and title', async () => {
    const { stdout, exitCode } = await conv(setting, 'list');
    expect(stdout).toMatch(new RegExp(`^${id}  finished  .* please: `));
    expect(exitCode).toBe(0);
  });

  test('show takes the start of an id and lists the events', async () => {
    const { stdout, exitCode } = await conv(setting, 'show', id.slice(0, 8));
    expect(stdout).toContain(`id         ${id}`);
    expect(stdout).toContain('#1  user Message please:');
    expect(exitCode).toBe(0);
  });

  test('show --at shows state and events as they were', async () => {
    const now = await shown(setting, id);
    const then = await shown(setting, id, '--at', '2');
    expect(now.executionStatus).toBe('finished');
    expect(then.executionStatus).toBe('running');
    expect(then.events).toEqual(now.events.slice(0, 3));
  });

  test('export writes one file with the events, and says where', async () => {
    const { stdout, stderr, exitCode } = await conv(setting, 'export', id.slice(0, 8), '--html', 'run.html');
    expect({ stdout, exitCode }).toEqual({ stdout: join(setting.cwd, 'run.html'), exitCode: 0 });
    expect(stderr).toContain('7 events');
    const page = readFileSync(join(setting.cwd, 'run.html'), 'utf8');
    const packed = /id="conv-content">([^<]+)</.exec(page)?.[1] ?? '';
    const { events } = JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString()) as { events: unknown[] };
    expect(events).toEqual((await shown(setting, id)).events);
  });

  test('export refuses a file that cannot be written, by name', async () => {
    const { stderr, exitCode } = await conv(setting, 'export', id, '--html', 'missing/run.html');
    expect(stderr).toContain('--html expects a file that can be written: ENOENT');
    expect(exitCode).toBe(2);
  });

  test('replay shows what run showed, and runs nothing', async () => {
    const { stdout, exitCode } = await conv(setting, 'replay', id);
    expect(stdout).toContain('$ cat made.txt');
    expect(stdout).toContain('run finished');
    expect(exitCode).toBe(0);
    expect((await shown(setting, id)).events).toHaveLength(7);
  });

  test('messages prints what both kinds of interfaces are sent', async () => {
    const chat = JSON.parse((await conv(setting, 'messages', id)).stdout) as { role: string }[];
    expect(chat.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ]);
    const answer = await conv(setting, 'messages', id, '--format', 'responses');
    expect(JSON.parse(answer.stdout)).toHaveProperty('input.0.role', 'user');
  });

  test('diagram prints Mermaid, of the branch and of all events', async () => {
    expect((await conv(setting, 'diagram', id)).stdout).toMatch(/^sequenceDiagram\n/);
    expect((await conv(setting, 'diagram', id, '--tree')).stdout).toMatch(/^flowchart TD\n/);
  });

  test('reading takes no ownership and leaves no file behind', async () => {
    const folder = join(setting.cwd, 'workspace/conversations', id.replaceAll('-', ''));
    const names = (): Set<string> => new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
    const before = names();
    // at the same time, in processes of their own
    const read = [['show', id], ['replay', id], ['list']].map((args) => convProcess(setting, ...args));
    for (const { exitCode } of await Promise.all(read)) expect(exitCode).toBe(0);
    expect(names()).toEqual(before);
  });

  test('fork --at takes over the events up to that one, and resume goes on in the fork alone', async () => {
    const fork = await conv(setting, 'fork', id, '--at', '3', '--title', 'another way');
    expect(fork.exitCode).toBe(0);
    const forkId = fork.stdout.trim();
    const before = await shown(setting, id);
    expect((await shown(setting, forkId)).events.map((event) => event.id)).toEqual(
      before.events.slice(0, 4).map((event) => event.id),
    );
    const resumed = await conv(setting, 'resume', forkId, 'now `echo second`');
    expect(resumed.exitCode).toBe(0);
    expect((await shown(setting, forkId)).events.length).toBeGreaterThan(4);
    expect(await shown(setting, id)).toEqual(before);
    expect((await shown(setting, forkId)).forkedFrom?.conversationId).toBe(id);
  });
});

test('run --workspace works in that folder, and --json prints one event a line', async () => {
  const setting = { cwd: newFolder() };
  const { stdout, exitCode } = await conv(setting, 'run', '`touch here`', '--workspace', 'elsewhere', '--json');
  const events = stdout.split('\n').map((line) => JSON.parse(line) as { kind: string });
  expect(events.at(-1)?.kind).toBe('MessageEvent');
  expect(exitCode).toBe(0);
  expect(existsSync(join(setting.cwd, 'elsewhere/here'))).toBe(true);
});

test('a list of nothing says so and is no error', async () => {
  const { stdout, stderr, exitCode } = await conv({ cwd: newFolder() }, 'list');
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 });
  expect(stderr).toContain('no conversations in');
});

test('--help lists the commands and the exit codes', async () => {
  const { stdout, exitCode } = await conv({ cwd: newFolder() }, '--help');
  for (const word of ['run', 'resume', 'list', 'show', 'replay', 'fork', 'messages', 'diagram', 'Exit codes', '130']) {
    expect(stdout).toContain(word);
  }
  expect(exitCode).toBe(0);
});

test('NO_COLOR and a pipe have no colours, FORCE_COLOR has', async () => {
  const setting = { cwd: newFolder() };
  const colours = '\u001B[';
  expect((await conv(setting, 'run', '`true`')).stdout).not.toContain(colours);
  const id = await onlyId(setting);
  const forced = { ...setting, env: { FORCE_COLOR: '1' } };
  expect((await conv(forced, 'replay', id)).stdout).toContain(colours);
  expect((await conv({ ...setting, env: { NO_COLOR: '1' } }, 'replay', id)).stdout).not.toContain(colours);
});
