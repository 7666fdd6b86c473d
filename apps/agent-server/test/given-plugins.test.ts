import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { call, createModelServer, lastUserText, type ModelServer, say } from '@conv/testing-model-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { writeFiles } from './plugin-places.ts';
import { ServerHere } from './server-here.ts';

let model: ModelServer;
let cwd: string;
let server: ServerHere;

/** Commands that the model has asked for. */
const asked = new Set<string>();

beforeAll(async () => {
  model = await createModelServer({
    script: (request) => {
      const command = lastUserText(request) ?? '';
      if (asked.has(command)) return say('Done.');
      asked.add(command);
      return call('terminal', { command });
    },
  });
});

beforeEach(async () => {
  cwd = newFolder();
  server = await ServerHere.start(cwd, { CONV_MARKETPLACE: join(cwd, 'market') });
  return () => server.stop();
});

afterAll(() => model.close());

const SKILL = '---\ndescription: Reads the radar.\n---\nLook.';

/** Makes a conversation that runs a command, and resolves with its id when its run has ended. */
async function run(command: string, more: JsonObject = {}, context: JsonObject = {}): Promise<string> {
  const body = payload({ cwd, llm: { model: 'openai/test', base_url: model.url, api_key: 'k' } });
  const agent = { ...(body['agent'] as JsonObject), tools: [{ name: 'terminal' }], agent_context: context };
  const { id } = await make(server, { ...body, agent, ...more, initial_message: says(command, { run: true }) });
  await until(server, id, 'finished', 'error');
  return id;
}

/** Resolves with what the commands of a conversation wrote. */
async function outputOf(id: string): Promise<string> {
  const events = await eventsOf(server, id);
  return JSON.stringify(events.filter(({ kind }) => kind === 'ObservationEvent'));
}

function copies(): string {
  return join(cwd, '.openhands/cache/plugins');
}

test('a restarted conversation and its fork read the copy of their plugin, and no other one sees it', async () => {
  const source = writeFiles(join(cwd, 'private'), { 'commands/go.md': 'Go.', 'key.txt': 'the key of Ann' });
  const command = `cat ${copies()}/*/*/key.txt`;
  const given = await run(command, { plugins: [{ source }] });
  expect(await outputOf(given)).toContain('the key of Ann');
  const [digest = ''] = readdirSync(copies());
  const other = await run(`${command}; cat ${copies()}/${digest}/private/key.txt; ls -A ${copies()}`);
  expect(await outputOf(other)).not.toContain('the key of Ann');
  await server.stop();
  server = await ServerHere.start(cwd);
  const again = `${command} | rev`;
  await server.call('POST', `/api/conversations/${given}/events`, says(again, { run: true }));
  await until(server, given, 'finished', 'error');
  expect(await outputOf(given)).toContain('nnA fo yek eht');
  const fork = await server.call<ConversationInfo>('POST', `/api/conversations/${given}/fork`, {});
  const { id } = fork.body;
  expect(fork.status).toBe(201);
  const found = `cat ${copies()}/*/*/key.txt | tr a-z A-Z`;
  await server.call('POST', `/api/conversations/${id}/events`, says(found, { run: true }));
  await until(server, id, 'finished', 'error');
  expect(await outputOf(id)).toContain('THE KEY OF ANN');
});

test('a conversation reads the files of the public skills that it was given', async () => {
  const plugins = [{ name: 'radar', source: './skills/radar' }];
  writeFiles(join(cwd, 'market'), {
    '.plugin/marketplace.json': JSON.stringify({ name: 'market', plugins }),
    'skills/radar/SKILL.md': SKILL,
    'skills/radar/image.txt': 'rain over Oslo',
  });
  await server.call('POST', '/api/skills/sync');
  const command = `cat ${copies()}/*/*/skills/radar/image.txt`;
  expect(await outputOf(await run(command, {}, { load_public_skills: true }))).toContain('rain over Oslo');
  expect(await outputOf(await run(`${command} `))).not.toContain('rain over Oslo');
});

test('a link in a project to the folder of all copies copies none of them', async () => {
  await run('true', { plugins: [{ source: writeFiles(join(cwd, 'private'), { 'commands/go.md': 'Go.' }) }] });
  writeFiles(join(cwd, '.agents/plugins/local'), { 'commands/led.md': 'Go.' });
  symlinkSync('../../.openhands/cache/plugins', join(cwd, '.agents/plugins/all'));
  symlinkSync('../../.openhands/cache', join(cwd, '.agents/plugins/around'));
  const { body } = await server.call<{ plugins: { name: string }[] }>('POST', '/api/plugins', {
    load_user: false,
    project_dir: cwd,
  });
  expect(body.plugins.map(({ name }) => name)).toEqual(['local']);
  const found = readdirSync(copies(), { recursive: true, encoding: 'utf8' });
  expect(found.filter((path) => path.endsWith('go.md'))).toHaveLength(1);
});
