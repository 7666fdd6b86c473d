import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { call, createModelServer, lastUserText, type ModelServer, say, toolResults } from '@conv/testing-model-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { commitFiles, WEATHER, writeFiles } from './plugin-places.ts';
import { ServerHere } from './server-here.ts';

let model: ModelServer;
let cwd: string;
let server: ServerHere;

beforeAll(async () => {
  model = await createModelServer({
    script: (request) => {
      const [result] = toolResults(request);
      if (result) return say(`It said: ${result.text}`);
      return lastUserText(request)?.startsWith('write') === true
        ? call('terminal', { command: 'echo made > made.txt' })
        : say('Done.');
    },
  });
});

beforeEach(async () => {
  cwd = newFolder();
  server = await ServerHere.start(cwd, { CONV_MARKETPLACE: join(cwd, 'market') });
  return () => server.stop();
});

afterAll(() => model.close());

const RADAR = {
  'SKILL.md': '---\nname: radar\ndescription: Reads the radar.\ntriggers: [storm]\n---\nLook at the radar.',
};

/** Starts a conversation with this context and these members, sends a text, and resolves when its run has ended. */
async function run(text: string, context: JsonObject = {}, more: JsonObject = {}): Promise<ConversationInfo> {
  const body = payload({ cwd, llm: { model: 'openai/test', base_url: model.url, api_key: 'k' } });
  const agent = { ...(body['agent'] as JsonObject), tools: [{ name: 'terminal', params: {} }], agent_context: context };
  const { id } = await make(server, { ...body, agent, ...more, initial_message: says(text, { run: true }) });
  return until(server, id, 'finished', 'error');
}

/** The folder in which a conversation works. */
function folderOf({ workspace }: ConversationInfo): string {
  return (workspace as { readonly working_dir: string }).working_dir;
}

/** The last request that the model got, as text. */
function asked(): string {
  return JSON.stringify(model.requests.at(-1)?.body);
}

async function names(path: string, body?: object): Promise<readonly string[]> {
  const { body: found } = await server.call<Record<string, { name: string }[]>>(body ? 'POST' : 'GET', path, body);
  return (found['skills'] ?? found['plugins'] ?? []).map(({ name }) => name);
}

test('a skill is installed from a repository, at its ref and its path', async () => {
  const path = join(cwd, 'tools');
  const source = commitFiles(path, {
    'skills/radar/SKILL.md': RADAR['SKILL.md'],
    'skills/radar/scripts/a.py': 'print()',
  });
  const install = (more: object = {}) =>
    server.call('POST', '/api/skills/install', { source, repo_path: 'skills/radar', ...more });
  const { status, body } = await install();
  const place = join(cwd, '.openhands/skills/installed/radar');
  expect([status, body]).toMatchObject([
    200,
    {
      name: 'radar',
      version: '1.0.0',
      description: 'Reads the radar.',
      source,
      repo_path: 'skills/radar',
      install_path: place,
    },
  ]);
  expect(body['resolved_ref']).toMatch(/^[\da-f]{40}$/);
  expect(existsSync(join(place, 'scripts/a.py'))).toBe(true);
  expect((await install()).status).toBe(409);
  expect((await install({ force: true })).status).toBe(200);
  expect((await install({ ref: 'none' })).status).toBe(400);
  expect((await install({ repo_path: '../..' })).status).toBe(400);
  expect((await install({ repo_path: 'skills' })).status).toBe(422);
  commitFiles(path, { 'skills/radar/SKILL.md': '---\nname: radar\ndescription: New.\n---\nNew text.' });
  expect((await server.call('POST', '/api/skills/installed/radar/refresh')).body).toMatchObject({
    skill: { description: 'New.' },
  });
  expect(readFileSync(join(place, 'SKILL.md'), 'utf8')).toContain('New text.');
  const file = JSON.parse(readFileSync(join(cwd, '.openhands/skills/installed/.installed.json'), 'utf8')) as JsonObject;
  expect(file).toMatchObject({ extensions: { radar: { name: 'radar', enabled: true, source } } });
});

test('a skill that is installed is given to conversations until it is switched off', async () => {
  const source = writeFiles(join(cwd, 'source', 'radar'), RADAR);
  await server.call('POST', '/api/skills/install', { source });
  const loading = { load_user_skills: true };
  await run('a storm comes', loading);
  expect(asked()).toContain('Look at the radar.');
  await run('nothing special', loading);
  expect(asked()).toContain('radar');
  expect(asked()).not.toContain('Look at the radar.');
  await run('a storm comes');
  expect(asked()).not.toContain('radar');
  expect(await names('/api/skills', { load_project: false })).toEqual(['radar']);
  await server.call('PATCH', '/api/skills/installed/radar', { enabled: false });
  await run('a storm comes', loading);
  expect(asked()).not.toContain('radar');
  expect(await names('/api/skills', { load_project: false })).toEqual([]);
  await server.call('PATCH', '/api/skills/installed/radar', { enabled: true });
  await server.call('DELETE', '/api/skills/installed/radar');
  await run('a storm comes', loading);
  expect(asked()).not.toContain('radar');
});

test('an installed plugin works in every conversation, its hooks in the sandbox, until it is switched off', async () => {
  const source = writeFiles(join(cwd, 'source', 'weather'), WEATHER);
  const installed = await server.call('POST', '/api/plugins/install', { source });
  const skills = [
    { name: 'radar', description: 'Reads the radar.' },
    { name: 'weather:now', description: 'Tells the weather.' },
  ];
  expect(installed).toMatchObject({ status: 200, body: { name: 'weather', version: '2.0.0', skills } });
  expect(installed.body['files']).toContain('commands/now.md');
  await run('/weather:now Oslo');
  expect(asked()).toContain('Tell the weather of the place that follows.');
  expect(asked()).toContain('Reads the radar.');
  const blocked = await run('write it');
  expect(JSON.stringify(await eventsOf(server, blocked.id))).toContain('weather says no');
  expect(existsSync(join(folderOf(blocked), 'made.txt'))).toBe(false);
  await server.call('PATCH', '/api/plugins/installed/weather', { enabled: false });
  const free = await run('write it');
  expect(existsSync(join(folderOf(free), 'made.txt'))).toBe(true);
  expect(asked()).not.toContain('radar');
});

test('a conversation has its plugin as it was when it began', async () => {
  const source = writeFiles(join(cwd, 'source', 'weather'), WEATHER);
  await server.call('POST', '/api/plugins/install', { source });
  const begun = await run('hello');
  const { id } = begun;
  await server.call('DELETE', '/api/plugins/installed/weather');
  rmSync(source, { recursive: true });
  await server.call('POST', `/api/conversations/${id}/events`, says('write it', { run: true }));
  await until(server, id, 'finished', 'error');
  expect(JSON.stringify(await eventsOf(server, id))).toContain('weather says no');
  expect(existsSync(join(folderOf(begun), 'made.txt'))).toBe(false);
});

test('a plugin that a request names is read at its ref and its path, and what it brings works', async () => {
  const inside = Object.fromEntries(Object.entries(WEATHER).map(([name, text]) => [`plugins/weather/${name}`, text]));
  const source = commitFiles(join(cwd, 'tools'), inside);
  const plugins = [{ source, ref: 'main', repo_path: 'plugins/weather' }];
  const { id } = await run('/weather:now Oslo', {}, { plugins });
  expect(asked()).toContain('Tell the weather of the place that follows.');
  const { body } = await server.call<ConversationInfo>('GET', `/api/conversations/${id}?include_skills=true`);
  expect(JSON.stringify(body.hook_config)).toContain('no.sh');
  expect(JSON.stringify(body.agent)).toContain('weather:now');
  const refused = await server.call('POST', '/api/conversations', {
    ...payload({ cwd, llm: { model: 'openai/test', base_url: model.url, api_key: 'k' } }),
    plugins: [{ source, ref: 'none' }],
  });
  expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'plugins', 0, 'source'] }] } });
});

test('a plugin is fetched to be looked at, with its manifest, and is not installed', async () => {
  const source = commitFiles(
    join(cwd, 'tools'),
    Object.fromEntries(Object.entries(WEATHER).map(([name, text]) => [`a/${name}`, text])),
  );
  const fetched = await server.call<{ path: string }>('POST', '/api/plugins/fetch', { source, repo_path: 'a' });
  const manifest = JSON.parse(WEATHER['.plugin/plugin.json'] ?? '') as JsonObject;
  expect(fetched).toMatchObject({
    status: 200,
    body: { source, repo_path: 'a', manifest, skills: ['radar'], commands: ['now'] },
  });
  expect(existsSync(join(fetched.body.path, 'commands/now.md'))).toBe(true);
  const local = await server.call('POST', '/api/plugins/fetch', { source: join(cwd, 'tools'), repo_path: 'a' });
  expect(local.body).toMatchObject({ resolved_ref: null, manifest });
  expect((await server.call('POST', '/api/plugins/fetch', { source })).status).toBe(422);
  expect((await server.call('POST', '/api/plugins/fetch', { source: join(cwd, 'none') })).status).toBe(502);
  expect(await names('/api/plugins/installed')).toEqual([]);
});

test("plugins of the user's and a project's folders are listed, and a damaged one breaks no other", async () => {
  writeFiles(join(cwd, '.openhands/plugins/weather'), WEATHER);
  writeFiles(join(cwd, '.openhands/plugins/broken'), { '.plugin/plugin.json': '{' });
  const project = writeFiles(join(cwd, 'project'), { '.agents/plugins/local/commands/go.md': 'Go.' });
  expect(await names('/api/plugins', { load_project: false })).toEqual(['weather']);
  expect(await names('/api/plugins', { project_dir: project })).toEqual(['weather', 'local']);
  expect(await names('/api/plugins/installed')).toEqual([]);
  await run('/weather:now Oslo');
  expect(asked()).toContain('Tell the weather of the place that follows.');
});

test('a link in a project leads to no folder beside it and to no server files, and programs see copies', async () => {
  const project = writeFiles(join(cwd, 'project'), { '.agents/plugins/local/commands/go.md': 'Go.' });
  writeFiles(join(cwd, 'elsewhere'), { 'key.txt': 'secret', 'commands/led.md': 'Go.' });
  symlinkSync('../../../elsewhere', join(project, '.agents/plugins/led'));
  expect(await names('/api/plugins', { load_user: false, project_dir: project })).toEqual(['local']);
  // the folder of the server is in the folder of the project
  writeFiles(join(cwd, 'workspace/.openhands'), { 'key.txt': 'secret' });
  writeFiles(join(cwd, '.agents/plugins/other'), { 'commands/go.md': 'Go.' });
  for (const [name, target] of Object.entries({ settings: 'workspace/.openhands', around: 'workspace' }))
    symlinkSync(`../../${target}`, join(cwd, '.agents/plugins', name));
  expect(await names('/api/plugins', { load_user: false, project_dir: cwd })).toEqual(['other']);
  const copied = readdirSync(join(cwd, '.openhands/cache/plugins'), { recursive: true, encoding: 'utf8' });
  expect(copied.filter((path) => path.endsWith('go.md'))).toHaveLength(2);
  expect(copied.filter((path) => path.endsWith('key.txt'))).toEqual([]);
});

test('public skills are those of the marketplace that was fetched last', async () => {
  const list = {
    name: 'market',
    owner: { name: 'Team' },
    plugins: [
      { name: 'radar', source: './skills/radar', description: 'Radar.' },
      { name: 'weather', source: './plugins/weather' },
    ],
  };
  const market = writeFiles(join(cwd, 'market'), {
    '.plugin/marketplace.json': JSON.stringify(list),
    'skills/radar/SKILL.md': RADAR['SKILL.md'],
    'skills/unlisted/SKILL.md': '---\ndescription: x\n---\nUnlisted.',
    'plugins/weather/commands/now.md': WEATHER['commands/now.md'] ?? '',
  });
  expect(await names('/api/skills', { load_project: false })).toEqual([]);
  expect((await server.call('POST', '/api/skills/sync')).body).toMatchObject({ status: 'success' });
  expect(await names('/api/skills', { load_project: false })).toEqual(['radar']);
  expect(await names('/api/skills', { load_project: false, load_public: false })).toEqual([]);
  await run('a storm comes', { load_public_skills: true });
  expect(asked()).toContain('Look at the radar.');
  expect(await names('/api/skills/marketplace')).toEqual(['weather', 'radar']);
  const { body } = await server.call<{ plugins: (JsonObject & { source: string })[] }>(
    'GET',
    '/api/plugins/marketplace',
  );
  expect(body.plugins).toMatchObject([{ name: 'weather', installed: false, files: ['commands/now.md'] }]);
  const installed = await server.call('POST', '/api/plugins/install', { source: body.plugins[0]?.source });
  expect(installed).toMatchObject({ status: 200, body: { name: 'weather' } });
  const after = await server.call('GET', '/api/plugins/marketplace');
  expect(after.body).toMatchObject({ plugins: [{ installed: true }] });
  writeFiles(market, { 'plugins/weather/commands/now.md': '---\ndescription: Newer.\n---\nNewer.' });
  expect((await server.call('POST', '/api/plugins/installed/weather/refresh')).body).toMatchObject({
    plugin: { skills: [{ description: 'Newer.' }] },
  });
  writeFiles(market, { '.plugin/marketplace.json': '{' });
  expect(await names('/api/skills/marketplace')).toEqual(['weather', 'radar']);
});

test('a plugin from a marketplace in a repository is fetched again from there, by its one text too', async () => {
  const path = join(cwd, 'repository');
  const market = { name: 'market', plugins: [{ name: 'radar', source: './skills/radar' }] };
  const source = commitFiles(path, {
    '.plugin/marketplace.json': JSON.stringify(market),
    'skills/radar/SKILL.md': RADAR['SKILL.md'],
  });
  await server.stop();
  server = await ServerHere.start(cwd, { CONV_MARKETPLACE: source });
  const { body } = await server.call<{ skills: { source: string }[] }>('GET', '/api/skills/marketplace');
  expect(body.skills).toMatchObject([{ name: 'radar', source: `${source}#:skills/radar` }]);
  await server.call('POST', '/api/skills/install', { source: body.skills[0]?.source });
  commitFiles(path, { 'skills/radar/SKILL.md': '---\nname: radar\ndescription: Newer.\n---\nNewer.' });
  expect((await server.call('POST', '/api/skills/installed/radar/refresh')).body).toMatchObject({
    skill: { description: 'Newer.' },
  });
});
