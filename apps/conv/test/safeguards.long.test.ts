import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { filesWith } from '@conv/testing-harness';
import { conv, onlyId, shown } from './command.ts';
import { newFolder } from './new-folder.ts';

const VALUE = 'tok_4f9c1e77aa02bd31';

test('P9: a secret reaches the command that names it, and is shown and stored nowhere', async () => {
  const setting = { cwd: newFolder(), env: { DEPLOY_TOKEN: VALUE, TMPDIR: newFolder(), OH_SECRET_KEY: 'k1' } };
  const task = '`echo "length ${#DEPLOY_TOKEN}, value $DEPLOY_TOKEN"`';
  const { stdout, stderr, exitCode } = await conv(setting, 'run', task, '--secret', 'DEPLOY_TOKEN');
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`length ${VALUE.length}, value <secret-hidden>`);
  expect(stdout + stderr).not.toContain(VALUE);
  expect([...filesWith(setting.cwd, VALUE), ...filesWith(setting.env.TMPDIR, VALUE)]).toEqual([]);
});

test('P9: the value is not stored without a key, and resuming says what is missing', async () => {
  const cwd = newFolder();
  await conv({ cwd, env: { DEPLOY_TOKEN: VALUE } }, 'run', '`echo begin`', '--secret', 'DEPLOY_TOKEN');
  const id = await onlyId({ cwd });
  const without = await conv({ cwd }, 'resume', id, '`echo "length ${#DEPLOY_TOKEN}"`');
  expect(without.stderr).toContain('DEPLOY_TOKEN');
  expect(without.stdout).toContain('length 0');
  const given = { cwd, env: { DEPLOY_TOKEN: VALUE } };
  const again = await conv(given, 'resume', id, '`echo "length ${#DEPLOY_TOKEN}"`', '--secret', 'DEPLOY_TOKEN');
  expect(again.stdout).toContain(`length ${VALUE.length}`);
});

test('a secret whose variable is not set is a mistake of usage', async () => {
  const { stderr, exitCode } = await conv({ cwd: newFolder() }, 'run', 'hello', '--secret', 'NOT_SET_ANYWHERE');
  expect(stderr).toContain('NOT_SET_ANYWHERE');
  expect(exitCode).toBe(2);
});

test('hooks of the workspace run when they are asked for, and only then', async () => {
  const cwd = newFolder();
  const workspace = join(cwd, 'project');
  mkdirSync(join(workspace, '.openhands'), { recursive: true });
  const guard = { type: 'command', command: 'echo "no new files" >&2; exit 2' };
  const hooks = { pre_tool_use: [{ matcher: 'terminal', hooks: [guard] }] };
  writeFileSync(join(workspace, '.openhands/hooks.json'), JSON.stringify(hooks));
  await conv({ cwd }, 'run', '`touch first`', '--workspace', workspace);
  expect(existsSync(join(workspace, 'first'))).toBe(true);
  await conv(
    { cwd: newFolder() },
    'run',
    '`touch second`',
    '--workspace',
    workspace,
    '--hooks',
    '--dir',
    join(cwd, 'c'),
  );
  expect(existsSync(join(workspace, 'second'))).toBe(false);
  const { stdout } = await conv({ cwd }, 'list', '--json', '--dir', join(cwd, 'c'));
  const [item] = JSON.parse(stdout) as readonly { readonly id: string }[];
  const { events } = await shown({ cwd }, item?.id ?? '', '--dir', join(cwd, 'c'));
  const kinds = events.map(({ kind }) => kind);
  expect(kinds.indexOf('HookExecutionEvent')).toBeLessThan(kinds.indexOf('UserRejectObservation'));
  writeFileSync(join(workspace, '.openhands/hooks.json'), '{"pre_tool_use": 1}');
  const wrong = await conv({ cwd: newFolder() }, 'run', 'hello', '--workspace', workspace, '--hooks');
  expect(wrong.stderr).toContain('hooks.json');
  expect(wrong.exitCode).toBe(2);
  const nothing = await conv({ cwd: newFolder() }, 'run', 'hello', '--hooks');
  expect(nothing.stderr).toContain('.openhands/hooks.json');
  expect(nothing.exitCode).toBe(2);
});

test('an agent that repeats itself is told so, once', async () => {
  const commands = Array.from({ length: 12 }, () => '`echo again`').join(' then ');
  const { stdout } = await conv({ cwd: newFolder() }, 'run', commands);
  expect(stdout.match(/\$ echo again/g)).toHaveLength(4);
  expect(stdout.match(/stuck/gi)?.length).toBeGreaterThan(0);
});
