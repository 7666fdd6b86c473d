import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { forksOf } from './forks.mjs';
import { environment, KEY, startOurServer, startTheirServer } from './servers.mjs';

const run = promisify(execFile);
const SKILL = '---\nname: radar\ndescription: Reads the radar.\ntriggers: [storm]\n---\nLook at the radar.';
const PLUGIN = {
  '.plugin/plugin.json': JSON.stringify({ name: 'weather', version: '2.0.0', description: 'Weather.', author: 'Ann' }),
  'skills/radar/SKILL.md': SKILL,
  'commands/now.md': '---\ndescription: Tells the weather.\n---\nTell it.',
  'agents/forecaster.md': '---\nname: forecaster\ndescription: Forecasts.\n---\nForecast.',
  'hooks/hooks.json': '{"hooks":{"PreToolUse":[{"matcher":"terminal","hooks":[{"type":"command","command":"true"}]}]}}',
  '.mcp.json': '{"mcpServers":{"files":{"command":"true","args":["${SKILL_ROOT}"]}}}',
};
const MARKET = {
  name: 'market',
  owner: { name: 'Team' },
  plugins: [
    { name: 'weather', source: './plugins/weather', description: 'Weather.' },
    { name: 'radar', source: './skills/radar', description: 'Radar.' },
    { name: 'far', source: { source: 'github', repo: 'some/far', ref: 'v1', path: 'plugins/far' } },
  ],
  skills: [{ name: 'alone', source: './skills/alone', description: 'Alone.' }],
};

/**
 * Opens both servers, to be asked the same. A third one of ours shares the home of OpenHands' server.
 */
export async function pluginAnswersPair({ folder, reference }) {
  const places = Object.fromEntries(['ours', 'theirs', 'shared'].map((name) => [name, join(folder, name)]));
  await Promise.all(Object.values(places).map((place) => mkdir(place, { recursive: true })));
  const sources = await makeSources(folder);
  const home = places.theirs;
  await keepMarket(home, sources.market);
  const found = await reference;
  // OpenHands decides where it installs when its packages are imported, so this server needs an import of its own
  const own = { OH_PERSISTENCE_DIR: join(home, '.openhands') };
  const forks = forksOf(found.python, { ...environment(home), ...own });
  const theirs = await startTheirServer(home, { ...found, forks }, own);
  const variables = { CONV_MARKETPLACE: sources.market };
  const ours = await startOurServer(places.ours, reference, variables);
  const shared = await startOurServer(places.shared, reference, { ...variables, CONV_USER_FOLDER: home });
  const servers = {
    ours: { server: ours, home: places.ours },
    theirs: { server: theirs, home },
    shared: { server: shared, home },
  };
  return {
    run: (name) => CASES[name]({ ...servers, sources }),
    async close() {
      await Promise.all([ours, theirs, shared].map((server) => server.close()));
      await forks.close();
    },
  };
}

/** Cases by name. Each takes both servers and the sources. */
const CASES = {
  async skills(both) {
    const { skills, tools } = both.sources;
    await same(both, [
      ['GET', '/api/skills/installed'],
      ['POST', '/api/skills/install', { source: join(skills, 'radar') }],
      ['POST', '/api/skills/install', { source: join(skills, 'radar') }],
      ['POST', '/api/skills/install', { source: join(skills, 'radar'), force: true }],
      ['GET', '/api/skills/installed/radar'],
      ['PATCH', '/api/skills/installed/radar', { enabled: false }],
      ['GET', '/api/skills/installed'],
      ['POST', '/api/skills/installed/radar/refresh'],
      ['POST', '/api/skills/install', { source: tools, repo_path: 'skills/git-help', ref: 'main' }],
      ['POST', '/api/skills/installed/git-help/refresh'],
      ['GET', '/api/skills/installed'],
      ['DELETE', '/api/skills/installed/radar'],
      ['DELETE', '/api/skills/installed/git-help'],
      ['DELETE', '/api/skills/installed/git-help'],
      ['GET', '/api/skills/installed'],
    ]);
  },

  async plugins(both) {
    const { weather, tools } = both.sources;
    await same(both, [
      ['GET', '/api/plugins/installed'],
      ['POST', '/api/plugins/install', { source: weather }],
      ['POST', '/api/plugins/install', { source: weather }],
      ['GET', '/api/plugins/installed/weather'],
      ['POST', '/api/plugins', { load_project: false }],
      ['PATCH', '/api/plugins/installed/weather', { enabled: false }],
      ['POST', '/api/plugins', { load_project: false }],
      ['POST', '/api/plugins/installed/weather/refresh'],
      ['POST', '/api/plugins/install', { source: tools, repo_path: 'plugins/bare' }],
      ['GET', '/api/plugins/installed'],
      ['DELETE', '/api/plugins/installed/weather'],
      ['DELETE', '/api/plugins/installed/bare'],
      ['DELETE', '/api/plugins/installed/bare'],
      ['POST', '/api/plugins', { project_dir: both.sources.project }],
    ]);
  },

  async refused(both) {
    const { tools, folder } = both.sources;
    for (const kind of ['skills', 'plugins'])
      await same(both, [
        ['GET', `/api/${kind}/installed/none`],
        ['GET', `/api/${kind}/installed/Upper`],
        ['GET', `/api/${kind}/installed/a--b`],
        ['PATCH', `/api/${kind}/installed/none`, { enabled: true }],
        ['PATCH', `/api/${kind}/installed/none`, {}],
        ['POST', `/api/${kind}/installed/none/refresh`],
        ['POST', `/api/${kind}/install`, {}],
        ['POST', `/api/${kind}/install`, { source: '' }],
        ['POST', `/api/${kind}/install`, { source: join(folder, 'none') }],
        ['POST', `/api/${kind}/install`, { source: tools, repo_path: 'none' }],
      ]);
    await same(both, [['POST', '/api/skills/install', { source: join(folder, 'project') }]]);
    await same(both, [['POST', '/api/plugins/install', { source: join(folder, 'Upper') }]]);
  },

  async 'one-home'({ theirs, shared, sources }) {
    const { weather, skills } = sources;
    const listed = async ({ server }) => {
      const [plugins, installed] = await Promise.all([
        ask(server, 'GET', '/api/plugins/installed'),
        ask(server, 'GET', '/api/skills/installed'),
      ]);
      return [plugins.body.plugins, installed.body.skills];
    };
    await ask(theirs.server, 'POST', '/api/plugins/install', { source: weather });
    await ask(shared.server, 'POST', '/api/skills/install', { source: join(skills, 'radar') });
    const [plugins, installed] = await listed(theirs);
    assert.deepEqual([plugins.length, installed.length], [1, 1]);
    assert.deepEqual(await listed(shared), [plugins, installed]);
    await ask(shared.server, 'PATCH', '/api/plugins/installed/weather', { enabled: false });
    await ask(theirs.server, 'PATCH', '/api/skills/installed/radar', { enabled: false });
    for (const server of [theirs, shared])
      assert.deepEqual(
        (await listed(server)).flat().map(({ enabled }) => enabled),
        [false, false],
      );
    await ask(shared.server, 'POST', '/api/plugins/installed/weather/refresh');
    assert.deepEqual(await listed(theirs), await listed(shared));
    await ask(shared.server, 'DELETE', '/api/plugins/installed/weather');
    await ask(theirs.server, 'DELETE', '/api/skills/installed/radar');
    for (const server of [theirs, shared]) assert.deepEqual(await listed(server), [[], []]);
  },
};

/** Asks both servers one after the other, and compares statuses and the bodies of answers that are no refusals. */
async function same({ ours, theirs, sources }, requests) {
  for (const [method, path, body] of requests) {
    const [our, their] = await Promise.all(
      [ours, theirs].map(async ({ server, home }) => {
        const { status, body: said } = await ask(server, method, path, body);
        return status < 300 ? { status, said: plain(said, home, sources) } : { status };
      }),
    );
    assert.deepEqual(our, their, `${method} ${path} ${JSON.stringify(body) ?? ''}`);
  }
}

/** Returns an answer without what belongs to one server: paths of its home, and times. */
function plain(said, home, { market }) {
  const text = JSON.stringify(said)
    .replaceAll(/"installed_at":"[^"]*"/g, '"installed_at":"then"')
    .replaceAll(
      new RegExp(`${home}/\\.openhands/cache/(?:skills/public-skills|plugins/[0-9a-f]{32}/market)`, 'g'),
      market,
    )
    .replaceAll(home, 'home');
  return JSON.parse(text);
}

async function ask({ url }, method, path, body) {
  const headers = { 'x-session-api-key': KEY, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const answer = await fetch(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

async function makeSources(folder) {
  const at = join(folder, 'sources');
  const weather = await write(join(at, 'weather'), PLUGIN);
  const skills = await write(join(at, 'skills'), { 'radar/SKILL.md': SKILL });
  const project = await write(join(at, 'project'), { '.agents/plugins/local/commands/go.md': 'Go.' });
  await write(join(at, 'Upper'), { 'notes.txt': 'x' });
  const tools = await write(join(at, 'tools'), {
    'skills/git-help/SKILL.md': '---\nname: git-help\ndescription: Git.\n---\nRebase.',
    'plugins/bare/commands/go.md': 'Go.',
  });
  const market = await write(join(at, 'market'), {
    '.plugin/marketplace.json': JSON.stringify(MARKET),
    'skills/radar/SKILL.md': SKILL,
    'skills/alone/SKILL.md': '---\nname: alone\ndescription: Alone.\n---\nAlone.',
  });
  await cp(weather, join(market, 'plugins/weather'), { recursive: true });
  await Promise.all([tools, market].map(commit));
  return { folder: at, weather, skills, project, tools: `file://${tools}`, market };
}

async function write(place, files) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(place, name)), { recursive: true });
    await writeFile(join(place, name), text);
  }
  return place;
}

async function commit(place) {
  const git = (...args) =>
    run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], { cwd: place });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Add');
}

/** Puts a clone of the marketplace where OpenHands keeps that of its public one, which it then updates from here. */
async function keepMarket(home, market) {
  const place = join(home, '.openhands/cache/skills/public-skills');
  if (existsSync(place)) return;
  await mkdir(dirname(place), { recursive: true });
  await run('git', ['clone', '--quiet', market, place]);
}
