import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { lastUserText, say } from '@conv/testing-model-server';
import { describe, expect, test } from 'vitest';

import { eventsOf, payload, says, until } from './calls.ts';
import { startScriptedServer } from './scripted-server.ts';
import { eventually } from './server-process.ts';

const { cwd, model, server } = await startScriptedServer((request) =>
  say(lastUserText(request)?.includes('TITLE') ? 'A title as wanted' : `I am ${request.model}.`),
);

const llm = (name: string, more: JsonObject = {}): JsonObject => ({
  model: `openai/${name}`,
  base_url: model.url,
  api_key: 'sk-test-0123456789',
  ...more,
});

function start(more: JsonObject) {
  const body = { ...payload({ cwd, llm: llm('first') }), ...more };
  return server.call<ConversationInfo & JsonObject>('POST', '/api/conversations?include_skills=true', body);
}

/** Starts a conversation with an agent profile. */
async function startProfile(name: string, profile: JsonObject, more: JsonObject = {}) {
  await server.call('POST', `/api/agent-profiles/${name}`, { llm_profile_ref: 'base', ...profile });
  const { body } = await server.call<{ profile: { id: string } }>('GET', `/api/agent-profiles/${name}`);
  return start({ agent: null, agent_profile_id: body.profile.id, ...more });
}

async function promptOf(id: string): Promise<string> {
  await server.call('POST', `/api/conversations/${id}/events`, says('hello', { run: true }));
  await until(server, id, 'finished', 'error');
  return JSON.stringify(await eventsOf(server, id));
}

describe('an agent', () => {
  test('an agent has the persona of its description, settings and profile, and keeps the common rules', async () => {
    await server.call('POST', '/api/profiles/base', { llm: llm('base') });
    const persona = 'You are a careful sailor.';
    const { agent } = payload({ cwd, llm: llm('first') }) as { readonly agent: JsonObject };
    for (const { body } of [
      await start({ agent: { ...agent, persona } }),
      await start({ agent: null, agent_settings: { llm: llm('first'), persona } }),
      await startProfile('sailor', { persona }),
    ]) {
      expect(body.ignored_members).not.toContainEqual(expect.stringContaining('persona'));
      const prompt = await promptOf(body.id);
      expect(prompt).toContain(persona);
      expect(prompt).not.toContain('You are an agent that gets work done');
      expect(prompt).toContain('Never print, store or send keys');
    }
  });

  test('an agent of a profile with secret_refs gets these secrets alone', async () => {
    const secret = (value: string): JsonObject => ({ kind: 'StaticSecret', value });
    const secrets = { FIRST: secret('a-first-value-0123'), SECOND: secret('a-second-value-0123') };
    const { body } = await startProfile('discreet', { secret_refs: ['SECOND', 'THIRD'] }, { secrets });
    expect(Object.keys(body.secret_registry.secret_sources ?? {})).toEqual(['SECOND']);
    expect(body.launched_agent_profile).toMatchObject({ secret_refs: ['SECOND', 'THIRD'], llm_profile_ref: null });
    const later = { ...secrets, THIRD: secret('a-third-value-0123') };
    await server.call('POST', `/api/conversations/${body.id}/secrets`, { secrets: later });
    const updated = (await server.call<ConversationInfo>('GET', `/api/conversations/${body.id}`)).body;
    expect(Object.keys(updated.secret_registry.secret_sources ?? {}).sort()).toEqual(['SECOND', 'THIRD']);
    const { body: found } = await server.call('POST', '/api/agent-profiles/discreet/materialize', {});
    expect(found).toMatchObject({ secret_refs: ['SECOND', 'THIRD'], public_skills: null });
    for (const name of ['FIRST', 'SECOND'])
      await server.call('PUT', '/api/settings/secrets', { name, value: `a-kept-value-of-${name}` });
    const listed = (id: string) => server.call('GET', `/api/settings/secrets?agent_profile_id=${id}`);
    const { agent_profile_id: id = '' } = body.launched_agent_profile ?? {};
    expect((await listed(id)).body).toMatchObject({ secrets: [{ name: 'SECOND' }] });
    expect((await listed('00000000-0000-4000-8000-000000000000')).status).toBe(404);
  });

  test('an agent gets the skills and the model that agent_launch_additions name', async () => {
    await server.call('POST', '/api/profiles/other', { llm: llm('other') });
    const skill = (name: string, trigger: JsonObject | null): JsonObject => ({
      name,
      content: `About ${name}.`,
      trigger,
    });
    const skills = [
      skill('knots', null),
      skill('ropes', { type: 'keyword', keywords: ['rope'] }),
      skill('sails', { type: 'task', triggers: ['/sail'] }),
      skill('charts', { type: 'path', paths: ['*.chart'] }),
    ];
    const additions = { skills, llm_profile_ref: 'other' };
    const { body } = await startProfile('learner', {}, { agent_launch_additions: additions });
    expect(body.agent).toMatchObject({ llm: { model: 'openai/other' }, agent_context: { skills } });
    expect(body.launched_agent_profile).toMatchObject({ llm_profile_ref: 'other' });
    expect(await promptOf(body.id)).toContain('I am other.');
    const missing = { agent_launch_additions: { llm_profile_ref: 'nobody' } };
    const place = { detail: [{ loc: ['body', 'agent_launch_additions', 'llm_profile_ref'] }] };
    const unresolved = { code: 'unresolved_profile_references', dangling_llm_profile_ref: 'nobody' };
    expect(await startProfile('learner', {}, missing)).toMatchObject({ status: 422, body: { detail: unresolved } });
    expect(await start(missing)).toMatchObject({ status: 422, body: place });
  });
});

describe('a conversation', () => {
  test('a conversation has a worktree at the chosen commit, on a branch with the chosen beginning', async () => {
    const project = join(cwd, 'project');
    mkdirSync(project);
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: project, encoding: 'utf8' });
    git('init', '-q', '-b', 'main');
    for (const text of ['first', 'second']) {
      writeFileSync(join(project, 'README.md'), text);
      git('add', '.');
      git('commit', '-q', '-m', text);
      git('tag', text);
    }
    git('checkout', '-q', '-b', 'topic');
    git('commit', '-q', '--allow-empty', '-m', 'third');
    const workspace = { working_dir: project };
    const at = async (options: JsonObject | null) => {
      const { body } = await start({ workspace, worktree: true, worktree_options: options });
      const { working_dir: folder } = body.workspace as { readonly working_dir: string };
      const head = execFileSync('git', ['log', '-1', '--format=%s %D'], { cwd: folder, encoding: 'utf8' });
      return { id: body.id, head, text: readFileSync(join(folder, 'README.md'), 'utf8') };
    };
    expect((await at(null)).head).toMatch(/^second HEAD -> openhands\//);
    expect((await at({ base: 'head' })).head).toMatch(/^third /);
    const chosen = await at({ base: 'ref', ref: 'first', branch_prefix: 'me/' });
    expect([chosen.text, chosen.head]).toEqual(['first', expect.stringContaining(`HEAD -> me/${chosen.id}`)]);
    for (const options of [{ base: 'ref', ref: 'nothing' }, { base: 'ref' }])
      expect(await start({ workspace, worktree: true, worktree_options: options })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'worktree_options', 'ref'] }] },
      });
    for (const prefix of ['me/../', 'me//', 'a.lock/'])
      expect(await start({ workspace, worktree: true, worktree_options: { branch_prefix: prefix } })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'worktree_options', 'branch_prefix'] }] },
      });
    expect((await start({ workspace, worktree_options: { base: 'ref', ref: '--all' } })).status).toBe(422);
  });

  test('a conversation has the title that the model of title_llm_profile gives for the prompt', async () => {
    await server.call('POST', '/api/profiles/titles', { llm: llm('titles') });
    const prompt = 'A TITLE of at most {max_length} for: {conversation_content}';
    const { body } = await start({ title_llm_profile: 'titles', prompt });
    await server.call('POST', `/api/conversations/${body.id}/events`, says('hello there'));
    const title = await eventually(async () => {
      const { body: info } = await server.call<ConversationInfo>('GET', `/api/conversations/${body.id}`);
      return info.title ?? undefined;
    });
    expect(title).toBe('A title as wanted');
    expect(JSON.stringify(model.requests.find(({ model: name }) => name === 'titles')?.body)).toMatch(
      /at most 50 for: <message>.*hello there/,
    );
  });

  test('a conversation tells of its runtime and of the modules of its tools', async () => {
    const { body } = await start({});
    expect(body).toMatchObject({
      runtime_info: { runtime_status: 'available', can_resume: true, runtime_error: null },
      tool_module_qualnames: { terminal: 'openhands.tools.terminal.definition' },
    });
  });
});

test('the server lists the capabilities that clients of newer releases look for', async () => {
  const { body } = await server.call<JsonObject>('GET', '/server_info');
  expect(body).toMatchObject({ app_backend_ingress_url: null });
  expect(body['capabilities']).toEqual(
    expect.arrayContaining(['profile_persona_v1', 'skill_catalog_v1', 'commits_v1']),
  );
});

test('an upload is answered with its bytes', async () => {
  const form = new FormData();
  form.set('file', new Blob(['twelve bytes']));
  const url = `${server.url}/api/file/upload?path=${encodeURIComponent(join(cwd, 'uploaded'))}`;
  const headers = server.key === undefined ? {} : { 'x-session-api-key': server.key };
  const answer = await fetch(url, { method: 'POST', body: form, headers });
  expect(await answer.json()).toEqual({ success: true, file_size: 12 });
});
