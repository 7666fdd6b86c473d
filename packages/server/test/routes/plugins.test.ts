import { expect, test } from 'vitest';

import { startServer, type TestServer } from '../support/test-server.ts';
import { plugin, testPlugins } from '../support/test-plugins.ts';

async function serverWith(options: Parameters<typeof testPlugins>[0] = {}): Promise<TestServer> {
  return startServer({ plugins: testPlugins(options), catalog: { models: {} } });
}

test.each(['skill', 'plugin'] as const)(
  'a %s is installed, shown, switched off, fetched again and removed',
  async (kind) => {
    const server = await serverWith();
    const at = `/api/${kind}s`;
    const made = await server.call('POST', `${at}/install`, { source: '/srv/one', ref: 'v1' });
    const contents = kind === 'plugin' ? { skills: [{ name: 'inside', description: null }], files: ['a.md'] } : {};
    const entry = { name: 'one', enabled: true, source: '/srv/one', resolved_ref: 'v1', repo_path: null, ...contents };
    expect(made).toMatchObject({
      status: 200,
      body: { ...entry, install_path: '/installed/one', installed_at: 'now' },
    });
    expect((await server.call('GET', `${at}/installed`)).body).toEqual({ [`${kind}s`]: [made.body] });
    expect((await server.call('GET', `${at}/installed/one`)).body).toEqual(made.body);
    const off = await server.call('PATCH', `${at}/installed/one`, { enabled: false });
    expect(off).toMatchObject({ status: 200, body: { name: 'one', enabled: false } });
    const again = await server.call('POST', `${at}/installed/one/refresh`);
    const title = kind === 'skill' ? 'Skill' : 'Plugin';
    expect(again).toMatchObject({
      status: 200,
      body: { message: `${title} 'one' updated`, [kind]: { name: 'one', enabled: false, resolved_ref: 'newer' } },
    });
    const gone = await server.call('DELETE', `${at}/installed/one`);
    expect(gone).toMatchObject({ status: 200, body: { message: `${title} 'one' uninstalled` } });
    expect((await server.call('GET', `${at}/installed`)).body).toEqual({ [`${kind}s`]: [] });
  },
);

test.each(['skills', 'plugins'])(
  '%s that are not installed are 404, and names that lead elsewhere 422',
  async (kind) => {
    const server = await serverWith();
    const ask = async (name: string): Promise<readonly number[]> => {
      const at = `/api/${kind}/installed/${name}`;
      const asked = [
        server.call('GET', at),
        server.call('PATCH', at, { enabled: true }),
        server.call('POST', `${at}/refresh`),
        server.call('DELETE', at),
      ];
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    expect(await ask('none')).toEqual([404, 404, 404, 404]);
    for (const name of ['..%2F..', 'Upper', 'a--b', 'a%00b'])
      expect([name, await ask(name)]).toEqual([name, [422, 422, 422, 422]]);
  },
);

test.each(['skills', 'plugins'])('an installation of %s that is refused has a status by its reason', async (kind) => {
  const server = await serverWith();
  const statusOf = async (source: string): Promise<readonly unknown[]> => {
    const { status, body } = await server.call('POST', `/api/${kind}/install`, { source });
    return [status, body['detail']];
  };
  for (const code of ['INVALID_SOURCE', 'FETCH_FAILED'])
    expect(await statusOf(`${code}:x`)).toEqual([400, `refused by ${code}`]);
  for (const code of ['TOO_LARGE', 'INVALID', 'DAMAGED'])
    expect(await statusOf(`${code}:x`)).toEqual([422, `refused by ${code}`]);
  expect((await statusOf('/srv/one'))[0]).toBe(200);
  expect(await statusOf('/srv/one')).toEqual([409, 'refused by EXISTS']);
  const forced = await server.call('POST', `/api/${kind}/install`, { source: '/srv/one', force: true });
  expect(forced.status).toBe(200);
  expect((await server.call('POST', `/api/${kind}/install`, { source: '' })).status).toBe(422);
  expect((await statusOf('OTHER:x'))[0]).toBe(500);
});

test('the plugins that a conversation would have are listed, those of the project over those of the user', async () => {
  const user = [plugin('one'), plugin('two')];
  const server = await serverWith({
    user,
    project: [plugin('two', { description: 'Of the project.' }), plugin('broken')],
  });
  const list = async (body: object): Promise<readonly unknown[]> => {
    const answer = await server.call<{ plugins: { name: string; description: string }[] }>(
      'POST',
      '/api/plugins',
      body,
    );
    return answer.body.plugins.map(({ name, description }) => [name, description]);
  };
  expect(await list({})).toEqual([
    ['one', 'About one.'],
    ['two', 'About two.'],
  ]);
  const all = [
    ['one', 'About one.'],
    ['two', 'Of the project.'],
    ['broken', 'About broken.'],
  ];
  expect(await list({ project_dir: '/project' })).toEqual(all);
  expect(await list({ load_user: false, project_dir: '/project' })).toEqual(all.slice(1));
  const { body } = await server.call('POST', '/api/plugins', { load_project: false });
  expect(body).toMatchObject({ plugins: [{ path: '/plugins/one', version: '1.0.0', files: ['a.md'] }, {}] });
});

test('a plugin is fetched without being installed, and no secret of its source is repeated', async () => {
  const server = await serverWith({ sources: { 'https://me:abc@example.org/x': plugin('one') } });
  const source = 'https://me:${TOKEN}@example.org/x';
  const secrets = { TOKEN: { kind: 'StaticSecret', value: 'abc' } };
  const asked = (more: object) => server.call('POST', '/api/plugins/fetch', { source, secrets, ...more });
  expect(await asked({ ref: 'v1', timeout: 5 })).toMatchObject({
    status: 200,
    body: {
      source,
      resolved_ref: 'v1',
      repo_path: null,
      path: '/copies/5000',
      manifest: { name: 'one' },
      skills: ['a'],
      commands: ['b'],
    },
  });
  expect(await asked({ secrets: {} })).toMatchObject({ status: 422, body: { detail: { code: 'missing_secret' } } });
  const lookup = { TOKEN: { kind: 'LookupSecret', url: 'https://example.org/secret' } };
  expect(await asked({ secrets: lookup })).toMatchObject({ status: 422, body: { detail: { code: 'missing_secret' } } });
  const gone = await asked({ source: 'https://gone/${TOKEN}' });
  expect([gone.status, JSON.stringify(gone.body).includes('abc')]).toEqual([502, false]);
  expect(await asked({ source: 'other' })).toMatchObject({ status: 422, body: { detail: { code: 'invalid_plugin' } } });
  expect((await asked({ timeout: 0 })).status).toBe(422);
  expect((await server.call('GET', '/api/plugins/installed')).body).toEqual({ plugins: [] });
});

test('the marketplace lists skills and plugins, what is installed, and what is in its plugins', async () => {
  const entry = { description: null, ref: null, repo_path: null };
  const weather = { ...entry, name: 'weather', source: '/market/weather', directory: '/market/weather' };
  const far = { name: 'far', description: 'Far.', source: 'github:a/b', ref: 'v1', repo_path: 'plugins/far' };
  const skills = [
    { ...entry, name: 'alone', source: '/market/alone' },
    { ...entry, name: 'far', source: '/hidden' },
    { ...entry, name: 'by-git', source: 'https://example.org/x.git', ref: 'v1', repo_path: 'a/b' },
    { ...entry, name: 'by-url', source: 'https://example.org/x', ref: 'v1', repo_path: 'a/b' },
    { ...entry, name: 'whole', source: 'https://example.org/x' },
  ];
  const server = await serverWith({ offered: { skills, plugins: [weather, far] } });
  await server.call('POST', '/api/plugins/install', { source: '/market/weather' });
  await server.call('POST', '/api/skills/install', { source: '/market/alone' });
  expect((await server.call('GET', '/api/skills/marketplace')).body).toEqual({
    skills: [
      { name: 'weather', description: null, source: '/market/weather', installed: false },
      { name: 'far', description: 'Far.', source: 'github:a/b@v1/plugins/far', installed: false },
      { name: 'alone', description: null, source: '/market/alone', installed: true },
      { name: 'by-git', description: null, source: 'https://example.org/x.git@v1/a/b', installed: false },
      { name: 'by-url', description: null, source: 'https://example.org/x#v1:a/b', installed: false },
      { name: 'whole', description: null, source: 'https://example.org/x', installed: false },
    ],
  });
  const none = { path: null, skills: null, files: null };
  const contents = { path: '/market/weather', skills: [{ name: 'inside', description: null }], files: ['a.md'] };
  expect((await server.call('GET', '/api/plugins/marketplace')).body).toEqual({
    plugins: [
      { ...entry, name: 'weather', source: '/market/weather', installed: true, ...contents },
      { ...far, installed: false, ...none },
    ],
  });
  expect((await server.call('POST', '/api/skills/sync')).body).toMatchObject({ status: 'success' });
  const without = await serverWith();
  expect((await without.call('POST', '/api/skills/sync')).body).toEqual({
    status: 'error',
    message: 'Sync failed: refused by FETCH_FAILED',
  });
});
