import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startServer } from '../agent-server.ts';
import { newFolder } from '../new-folder.ts';
import { FirstVersion } from './first-version.ts';
import { chatModel, environmentOf } from './model.ts';
import { ChatTerminal, KEYS } from './terminal.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await chatModel();
});
afterAll(() => model.close());

test('a chat on a server asks, survives a lost server, says so, and comes back by the start of its id', async () => {
  const server = await startServer(newFolder());
  const where = { cwd: newFolder(), env: { ...environmentOf(model), ...server.env } };
  const place = ['--server', server.url];
  let id = '';
  {
    await using terminal = new ChatTerminal(where, 'chat', ...place, '--policy', 'always');
    await terminal.until('ready');
    [, id = ''] = /^([0-9a-f-]{36})/m.exec(terminal.text) ?? [];
    await terminal.ask('please `echo here`', 'Run it?');
    await terminal.ask('y', 'It printed: here');
    await terminal.until('ready', 'screen');
    await server.kill();
    await terminal.ask('are you there', 'the server does not answer');
    await terminal.until('server away', 'screen');
    await server.again();
    await terminal.until('the server answers again; caught up');
    await terminal.until(/● agent.*\n {2}You said: are you there/);
    terminal.type(KEYS.ctrlD);
    expect(await terminal.ended).toBe(0);
  }
  await using terminal = new ChatTerminal(where, 'chat', id.slice(0, 8), ...place);
  await terminal.until('You said: are you there');
  await terminal.until('approval for all', 'screen');
});

test('P9: the output of a running command on a server streams in, masked, and leaves with its result', async () => {
  const server = await startServer(newFolder());
  const workspace = newFolder();
  const where = { cwd: newFolder(), env: { ...environmentOf(model), ...server.env, TOKEN: 'a-value-to-hide' } };
  const place = ['--server', server.url, '--workspace', workspace];
  await using terminal = new ChatTerminal(where, 'chat', ...place, '--policy', 'never', '--secret', 'TOKEN');
  await terminal.until('ready');
  await terminal.ask(
    'please `echo "begun $TOKEN"; until [ -e go ]; do sleep 0.1; done; echo ended`',
    '│ begun <secret-hidden>',
    'screen',
  );
  writeFileSync(join(workspace, 'go'), '');
  await terminal.until('It printed: begun');
  await terminal.until('ready', 'screen');
  expect(terminal.text.match(/│ begun/g)).toHaveLength(1);
  expect(terminal.written).not.toContain('a-value-to-hide');
});

test('P10: the chat on a server with joint decisions asks once, shows each call, and a fork asks again', async () => {
  const server = await startServer(newFolder());
  await using old = await FirstVersion.of(server.url);
  const where = { cwd: newFolder(), rows: 40, env: { ...environmentOf(model), ...server.env } };
  await using terminal = new ChatTerminal(where, 'chat', '--server', old.url, '--policy', 'always');
  await terminal.until('ready');
  await terminal.ask(
    'please `echo one` and `echo two`',
    'Run all 2 calls? This server decides on them together',
    'screen',
  );
  expect(terminal.text).toContain('│ echo one');
  expect(terminal.text).toContain('│ echo two');
  await terminal.ask('a', 'expected y, n, or n and a reason, found "a"');
  await terminal.ask('/fork', /^[0-9a-f-]{36}[^]*^[0-9a-f-]{36}[^]*Run all 2 calls/m);
  await terminal.ask('/reject not now', 'rejected 2 calls');
  await terminal.until('ready', 'screen');
  await terminal.ask('please `echo three` and `echo four`', 'Run all 2 calls?', 'screen');
  await terminal.ask('y', 'It printed: four');
  await terminal.ask('/at 1', /event 1 of \d+; this server keeps no earlier states/);
  await terminal.ask('/policy never', 'from now on no call waits for your approval');
  await terminal.ask('/model openai/another', 'from the next request on the model is openai/another');
});

test('each run on a server of the first version ends with a line, however short it is', async () => {
  const server = await startServer(newFolder());
  await using old = await FirstVersion.of(server.url);
  const where = { cwd: newFolder(), env: { ...environmentOf(model), ...server.env } };
  await using terminal = new ChatTerminal(where, 'chat', '--server', old.url, '--policy', 'never');
  await terminal.until('ready');
  for (const [runs, message, answer] of [
    [1, 'hello', 'You said: hello'],
    [2, 'please `echo one`', 'It printed: one'],
    [3, 'bye', 'You said: bye'],
  ] as const) {
    await terminal.ask(message, answer);
    await terminal.until(new RegExp(`(?:run finished[^]*){${runs}}`));
    await terminal.until('ready', 'screen');
  }
  expect(terminal.text.match(/run finished/g)).toHaveLength(3);
  expect(terminal.written).not.toContain('Run it?');
});
