import { ConversationError } from '@conv/core';
import { expect, it } from 'vitest';

import { startServer, type TestServer, type TestServerOptions } from '../support/test-server.ts';

function knowing(options: TestServerOptions = {}): Promise<TestServer> {
  return startServer({
    ...options,
    catalog: {
      models: { openai: ['gpt-x', 'gpt-y'], anthropic: ['claude-x'] },
      skills: async ({ project_dir: dir }) => {
        if (dir === '/broken') throw new ConversationError('INVALID_INPUT', '/broken/skills/a.md: name is missing');
        const skill = { name: 'a', type: 'knowledge', content: 'text', triggers: [], source: null } as const;
        const more = { description: null, is_agentskills_format: false, disable_model_invocation: false };
        return { skills: [{ ...skill, ...more }], sources: { project: 1 } };
      },
      hooks: async (dir) => (dir === '/with-hooks' ? { pre_tool_use: [] } : undefined),
    },
  });
}

it('clients are told of models', async () => {
  const server = await knowing();
  const get = async (path: string) => (await server.call<unknown>('GET', path)).body;
  expect(await get('/api/llm/providers')).toEqual({ providers: ['openai', 'anthropic'] });
  expect(await get('/api/llm/models')).toEqual({ models: ['openai/gpt-x', 'openai/gpt-y', 'anthropic/claude-x'] });
  expect(await get('/api/llm/models?provider=anthropic')).toEqual({ models: ['claude-x'] });
  expect(await get('/api/llm/models?provider=constructor')).toEqual({ models: [] });
  expect(await get('/api/llm/models/verified')).toEqual({
    models: { openai: ['gpt-x', 'gpt-y'], anthropic: ['claude-x'] },
  });
});

it('clients are told of the skills and hooks of a project, and of what is wrong with them', async () => {
  const server = await knowing();
  const post = (path: string, body?: unknown) => server.call('POST', path, body);
  expect((await post('/api/skills', { load_public: false })).body).toMatchObject({
    skills: [{ name: 'a' }],
    sources: { project: 1 },
  });
  expect(await post('/api/skills', { project_dir: '/broken' })).toMatchObject({
    status: 422,
    body: { detail: '/broken/skills/a.md: name is missing' },
  });
  expect((await post('/api/hooks', { project_dir: '/with-hooks' })).body).toEqual({
    hook_config: { pre_tool_use: [] },
  });
  expect((await post('/api/hooks', { project_dir: '/without' })).body).toEqual({ hook_config: null });
  expect((await post('/api/hooks', {})).body).toEqual({ hook_config: null });
});

it.each(['skills', 'plugins', 'hooks', 'sub-agents'])('a request for %s without a body is refused', async (name) => {
  const server = await knowing();
  const { status, body } = await server.call('POST', `/api/${name}`);
  expect([status, body]).toMatchObject([422, { detail: [{ type: 'missing', loc: ['body'] }] }]);
  expect((await server.call('POST', `/api/${name}`, {})).status).toBe(200);
});

it('clients are told of the skills that a profile can load, without those of projects', async () => {
  const asked: unknown[] = [];
  const skill = { name: 'a', type: 'knowledge', content: 'text', triggers: [], source: null } as const;
  const more = { description: null, is_agentskills_format: false, disable_model_invocation: false };
  const skills = async (request: unknown) => {
    asked.push(request);
    return { skills: [{ ...skill, ...more }], sources: { user: 1 } };
  };
  const server = await startServer({ catalog: { models: {}, skills } });
  const { body } = await server.call('GET', '/api/skills/catalog');
  expect(body).toEqual({ skills: [{ ...skill, ...more, origin: 'user' }] });
  expect(asked).toMatchObject([{ load_user: true, load_project: false, project_dir: null }]);
  const none = await startServer({ catalog: { models: {} } });
  expect((await none.call('GET', '/api/skills/catalog')).body).toEqual({ skills: [] });
});

it('clients are told of skills and hooks below the folders of conversations alone', async () => {
  const server = await knowing({ workspaceRoots: ['/with-hooks'] });
  const ask = async (path: string, dir: string): Promise<number> =>
    (await server.call('POST', path, { project_dir: dir })).status;
  for (const path of ['/api/skills', '/api/hooks']) {
    expect([path, await ask(path, '/with-hooks'), await ask(path, '/with-hooks/part')]).toEqual([path, 200, 200]);
    for (const dir of ['/', '/etc', '/with-hooks/../etc', 'relative'])
      expect([path, dir, await ask(path, dir)]).toEqual([path, dir, 422]);
  }
});

it('features that this server lacks are reported as absent', async () => {
  const server = await knowing();
  expect((await server.call('GET', '/api/plugins/installed')).body).toEqual({ plugins: [] });
  expect((await server.call('GET', '/api/canvas-extensions/installed')).body).toEqual({ canvas_extensions: [] });
  expect((await server.call('GET', '/api/vscode/status')).body).toMatchObject({ running: false, enabled: false });
  expect((await server.call('GET', '/api/vscode/url')).status).toBe(503);
  expect((await server.call('GET', '/api/desktop/url')).status).toBe(503);
});
