import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { createModelServer, say } from '@conv/testing-model-server';
import { expect, test } from 'vitest';

import { startServer } from './agent-server.ts';
import { conv, onlyId, published, shown } from './command.ts';
import { newFolder } from './new-folder.ts';
import { inTerminal } from './terminal.ts';

test('P2: a conversation of the own store comes back by the start of its id, from any folder', async () => {
  await using model = await createModelServer({ script: () => say('Paris.') });
  const env = { XDG_DATA_HOME: newFolder(), LLM_MODEL: 'openai/scripted', LLM_BASE_URL: model.url };
  const run = await published({ cwd: newFolder(), env }, 'run', 'What is the capital of France?');
  expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Paris.') });
  const id = /conversation (\S+) in (\S+)/.exec(run.stderr) as RegExpExecArray;
  expect(id[2]).toBe(join(env.XDG_DATA_HOME, 'conv/conversations'));
  expect(run.stderr).toContain(`conv resume ${id[1]} "…", look back with: conv show ${id[1]}`);
  // others can read neither the folder nor what is in it
  expect(statSync(id[2] as string).mode & 0o077).toBe(0);
  const elsewhere = { cwd: newFolder(), env };
  expect((await published(elsewhere, 'list')).stdout).toContain(id[1]);
  const again = await published(elsewhere, 'resume', (id[1] as string).slice(0, 8), 'Are you sure?');
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Paris.') });
  expect((await published(elsewhere, 'show', (id[1] as string).slice(0, 4))).stdout).toContain('Are you sure?');
});

test('run, list, show, fork, resume, messages, export and delete work in a database', async () => {
  const setting = { cwd: newFolder() };
  const store = ['--store', 'sqlite:own.db'];
  const run = await conv(setting, 'run', '`echo first`', ...store);
  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain('--store sqlite:own.db, look back with');
  const [{ id }] = JSON.parse((await conv(setting, 'list', '--json', ...store)).stdout) as [{ id: string }];
  expect((await conv(setting, 'show', id, ...store)).stdout).toContain('terminal: echo first');
  const fork = (await conv(setting, 'fork', id, ...store)).stdout.trim();
  expect((await conv(setting, 'resume', fork, '`echo second`', ...store)).exitCode).toBe(0);
  expect((await shown(setting, id, ...store)).events.length).toBeLessThan(
    (await shown(setting, fork, ...store)).events.length,
  );
  expect((await conv(setting, 'messages', fork, ...store)).stdout).toContain('echo second');
  expect((await conv(setting, 'export', fork, '--html', 'page.html', ...store)).exitCode).toBe(0);
  expect(readFileSync(join(setting.cwd, 'page.html'), 'utf8')).toContain('<!doctype html>');
  const gone = await conv(setting, 'delete', id, fork, '--yes', '--json', ...store);
  expect(gone.stdout.split('\n').map((line) => JSON.parse(line) as object)).toEqual([
    { id, deleted: true },
    { id: fork, deleted: true },
  ]);
  expect(JSON.parse((await conv(setting, 'list', '--json', ...store)).stdout)).toEqual([]);
});

test('check, backup and copy take a store by option and an id, and print a line of JSON for each', async () => {
  const setting = { cwd: newFolder() };
  await conv(setting, 'run', '`true`');
  const id = await onlyId(setting);
  const copied = await conv(setting, 'copy', id, '--to', 'sqlite:copy.db', '--json');
  expect(JSON.parse(copied.stdout)).toMatchObject({ id, found: 0, error: null });
  const saved = await conv(setting, 'backup', id.slice(0, 8), '--to', 'sqlite:copy.db', '--json');
  expect(JSON.parse(saved.stdout)).toMatchObject({ id, written: 0, error: null });
  const checked = await conv(setting, 'check', id, '--store', 'sqlite:copy.db', '--json');
  expect(JSON.parse(checked.stdout)).toMatchObject({ id, findings: [], error: null });
  expect(checked.exitCode).toBe(0);
});

test('delete asks in a terminal, keeps everything on no, and deletes on yes', async () => {
  const setting = { cwd: newFolder() };
  await conv(setting, 'run', '`true`');
  const id = await onlyId(setting);
  const refused = await inTerminal(setting.cwd, { 'for good? [y/N]': 'n\r' }, 'delete', id);
  expect(refused.said).toContain('nothing is deleted');
  expect(await onlyId(setting)).toBe(id);
  const { exitCode } = await inTerminal(setting.cwd, { 'for good? [y/N]': 'y\r' }, 'delete', id);
  expect(exitCode).toBe(0);
  expect((await conv(setting, 'show', id)).exitCode).toBe(3);
});

test('delete deletes on a server', async () => {
  const server = await startServer(newFolder());
  const setting = { cwd: newFolder(), env: server.env };
  const there = ['--server', server.url];
  expect((await conv(setting, 'run', '`true`', '--workspace', newFolder(), ...there)).exitCode).toBe(0);
  const [{ id }] = JSON.parse((await conv(setting, 'list', '--json', ...there)).stdout) as [{ id: string }];
  expect((await conv(setting, 'delete', id.slice(0, 8), '--yes', ...there)).exitCode).toBe(0);
  expect(JSON.parse((await conv(setting, 'list', '--json', ...there)).stdout)).toEqual([]);
  expect((await conv(setting, 'delete', id, '--yes', ...there)).exitCode).toBe(3);
});
