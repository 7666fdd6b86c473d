import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import type { McpServer } from '@agentclientprotocol/sdk';
import { filesWith } from '@conv/testing-harness';
import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startServer } from '../agent-server.ts';
import { chatModel, environmentOf } from '../chat/model.ts';
import { conv, shown, untilThere, type Setting } from '../command.ts';
import { newFolder } from '../new-folder.ts';
import { EditorProcess } from './editor-process.ts';

let model: ModelServer;
beforeAll(async () => {
  model = await chatModel();
});
afterAll(() => model.close());

function setting(): Setting {
  return { cwd: newFolder(), env: environmentOf(model) };
}

test('an editor works with an agent in its folder, lists the session, and conv chat goes on with it', async () => {
  const place = setting();
  const folder = newFolder();
  const editor = new EditorProcess(place);
  const id = await editor.session(folder);
  expect(await editor.say(id, 'hello')).toBe('end_turn');
  const turn = editor.say(id, 'please `pwd` risk HIGH');
  await editor.decide('allow');
  expect(await turn).toBe('end_turn');
  expect(editor.shown).toEqual(['You said: hello', 'call completed', `It printed: ${folder}`]);
  const { sessions } = await editor.agent.request('session/list', { cwd: folder });
  expect(sessions).toMatchObject([{ sessionId: id, cwd: folder, title: 'hello' }]);
  expect((await editor.agent.request('session/list', { cwd: '/elsewhere' })).sessions).toEqual([]);
  editor.leave();
  expect(await editor.ended).toEqual([0, null]);
  expect(editor.errors).toBe('');
  expect((await conv(place, 'show', id)).stdout).toContain('hello');
});

test('P9: an MCP server of the editor gives the agent its tools, and no file or error has its secret', async () => {
  const place = setting();
  // the program of the server lies elsewhere, and a sandbox shows it only when it is told to
  const packages = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
  const editor = new EditorProcess(place, '--sandbox-read', packages);
  const folder = newFolder();
  await editor.agent.request('initialize', { protocolVersion: 1 });
  const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
  const env = [{ name: 'TOKEN', value: 'canary-of-the-editor' }];
  const server: McpServer = { name: 'every', command: process.execPath, args: [program], env };
  const { sessionId } = await editor.agent.request('session/new', { cwd: folder, mcpServers: [server] });
  expect(await editor.say(sessionId, 'with tools')).toBe('end_turn');
  const request = JSON.stringify(model.requests.find(({ body }) => JSON.stringify(body).includes('with tools'))?.body);
  expect(request).toContain('"echo"');
  for (const unknown of ['none', '0c5c8f0e-53a2-4f0e-8a56-2c6f7cf0a001', sessionId.slice(0, 8)])
    await expect(
      editor.agent.request('session/load', { sessionId: unknown, cwd: folder, mcpServers: [server] }),
    ).rejects.toMatchObject({ code: -32002, data: { sessionId: unknown } });
  editor.leave();
  await editor.ended;
  expect(editor.errors).not.toContain('canary-of-the-editor');
  expect(filesWith(place.cwd, 'canary-of-the-editor')).toEqual([]);
});

test('P11: a process that was killed during a run loses nothing, and the next one tells all of it once', async () => {
  const place = setting();
  const folder = newFolder();
  const editor = new EditorProcess(place, '--policy', 'never');
  const id = await editor.session(folder);
  await editor.say(id, 'first');
  const begun = join(folder, 'begun');
  void editor.say(id, `please \`touch ${begun}; sleep 600\``).catch(() => 'lost');
  await untilThere(begun);
  editor.kill();
  await editor.ended;
  const next = new EditorProcess(place, '--policy', 'never');
  await next.session(folder, id);
  expect(next.shown).toEqual(['first', 'You said: first', `please \`touch ${begun}; sleep 600\``, 'call failed']);
  expect(await next.say(id, 'second')).toBe('end_turn');
  expect(next.shown.slice(4)).toEqual(['You said: second']);
  const third = new EditorProcess(place);
  next.leave();
  await next.ended;
  await third.session(folder, id);
  expect(third.shown).toEqual([...next.shown.slice(0, 4), 'second', 'You said: second']);
});

test('a run continues after its editor closes, its process ends with it, and session/load waits', async () => {
  const place = setting();
  const folder = newFolder();
  const [begun, goOn] = [join(folder, 'begun'), join(folder, 'go-on')];
  const editor = new EditorProcess(place, '--policy', 'never');
  const id = await editor.session(folder);
  void editor.say(id, `please \`touch ${begun}; until test -e ${goOn}; do sleep 0.1; done\``).catch(() => 'lost');
  await untilThere(begun);
  editor.leave();
  const next = new EditorProcess(place);
  const loading = next.session(folder, id);
  writeFileSync(goOn, '');
  expect(await editor.ended).toEqual([0, null]);
  await loading;
  expect(next.shown.slice(1)).toEqual(['call completed', expect.stringContaining('It printed')]);
  expect(await shown(place, id)).toMatchObject({ executionStatus: 'finished' });
});

test('P10: editors on a server share a session, one decides for both, and wrong servers are refused', async () => {
  const server = await startServer(newFolder());
  const place = { cwd: newFolder(), env: { ...server.env, ...environmentOf(model) } };
  const folder = newFolder();
  const options = ['--server', server.url];
  const [one, two] = [new EditorProcess(place, ...options), new EditorProcess(place, ...options)];
  const id = await one.session(folder);
  await two.session(folder, id);
  const made = join(folder, 'made');
  const turn = one.say(id, `please \`touch ${made}\` risk HIGH`);
  await two.decide('allow');
  expect(await turn).toBe('end_turn');
  expect(existsSync(made)).toBe(true);
  expect((await two.agent.request('session/list', {})).sessions).toContainEqual(
    expect.objectContaining({ sessionId: id, cwd: folder }),
  );
  const stdio = { name: 'files', command: '/bin/files', args: [], env: [] };
  await expect(one.agent.request('session/new', { cwd: folder, mcpServers: [stdio] })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('found files'),
  });
});
