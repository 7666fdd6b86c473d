import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { createModelServer } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { eventsOf, make, payload, says, until } from '../calls.ts';
import { MODEL_KEY, script } from '../executor/loop.ts';
import { newFolder } from '../new-folder.ts';
import { eventually, ServerProcess } from '../server-process.ts';
import { hasEngine, podman, remains, userFolder } from './engine.ts';

const { CONV_ENGINE: engine = '', CONV_IMAGE: image = '' } = process.env;

/** Starts a server whose conversations act in containers. */
async function start(cwd: string, more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const env = { ...more, CONTAINER_HOST: `unix://${engine.replace('unix://', '')}`, CONV_CONTAINER_RUNTIME: 'runc' };
  const args = ['--runtimes', 'docker', '--container-image', image];
  const server = await ServerProcess.start({ cwd, args, env });
  onTestFinished(() => server.kill('SIGKILL'));
  return server;
}

/** Has a command run, and resolves with all events of the conversation as text. */
async function run(server: ServerProcess, id: string, command: string): Promise<string> {
  const wanted = says(JSON.stringify([['terminal', { command }]]), { run: true });
  expect(await server.call('POST', `/api/conversations/${id}/events`, wanted)).toMatchObject({ status: 200 });
  await until(server, id, 'finished');
  return JSON.stringify((await eventsOf(server, id)).slice(-2));
}

test.skipIf(!hasEngine)(
  "P5: a server's conversation acts in its own container, which outlives the server",
  async () => {
    const model = await createModelServer({ script, apiKey: MODEL_KEY });
    onTestFinished(() => model.close());
    const [cwd, folder] = [newFolder(), userFolder()];
    const first = await start(cwd);
    const llm = { model: 'openai/test-model', base_url: model.url, api_key: MODEL_KEY };
    const workspace = { kind: 'LocalWorkspace', working_dir: folder };
    const { id } = await make(first, { ...payload({ cwd, llm }), workspace, container: { memory: '512m' } });
    onTestFinished(async () => void (await podman('rm', '--force', '--volumes', `conv-${id}`)));
    expect(await remains(id)).toEqual([]);
    expect(await run(first, id, 'pwd; echo made > made; cat /proc/1/cmdline')).toContain('conv-node');
    expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('made\n');
    const described = await podman('inspect', `conv-${id}`);
    expect(described).toContain(String(512 * 2 ** 20));
    expect(described).not.toContain(MODEL_KEY);
    first.kill('SIGKILL');
    await first.ended();
    expect(await podman('ps', '--format', '{{.Names}}')).toContain(`conv-${id}`);
    const second = await start(cwd);
    expect(await run(second, id, 'cat made')).toContain('made');
    await podman('kill', `conv-${id}`);
    await eventually(async () => !(await podman('ps', '--format', '{{.Names}}')).includes(id));
    expect(await run(second, id, 'echo again; cat made')).toContain('again');
    expect(await second.call('DELETE', `/api/conversations/${id}`)).toMatchObject({ status: 200 });
    expect(await remains(id)).toEqual([]);
  },
);

test.skipIf(!hasEngine)(
  'the container of a killed server stops with its conversation where no other tool is called',
  async () => {
    const model = await createModelServer({ script, apiKey: MODEL_KEY });
    onTestFinished(() => model.close());
    const [cwd, working_dir] = [newFolder(), userFolder()];
    const first = await start(cwd);
    const llm = { model: 'openai/test-model', base_url: model.url, api_key: MODEL_KEY };
    const { id } = await make(first, { ...payload({ cwd, llm }), workspace: { kind: 'LocalWorkspace', working_dir } });
    onTestFinished(async () => void (await podman('rm', '--force', '--volumes', `conv-${id}`)));
    expect(await run(first, id, 'echo made')).toContain('made');
    first.kill('SIGKILL');
    await first.ended();
    const names = (): Promise<string> => podman('ps', '--format', '{{.Names}}');
    expect(await names()).toContain(`conv-${id}`);
    const second = await start(cwd);
    await second.call('PATCH', `/api/conversations/${id}`, { title: 'loaded' });
    second.kill('SIGTERM');
    await second.ended();
    expect(await names()).not.toContain(`conv-${id}`);
    expect(await remains(id)).toHaveLength(2);
  },
);

test.skipIf(!hasEngine)(
  'P9: containers of idle conversations stop with their files, and share neither secrets nor keys',
  async () => {
    const model = await createModelServer({ script, apiKey: MODEL_KEY });
    onTestFinished(() => model.close());
    const cwd = newFolder();
    const server = await start(cwd, { CONV_IDLE_SECONDS: '1' });
    const llm = { model: 'openai/test-model', base_url: model.url, api_key: MODEL_KEY };
    const begin = async (secrets: JsonObject): Promise<string> => {
      const workspace = { kind: 'LocalWorkspace', working_dir: userFolder() };
      const { id } = await make(server, { ...payload({ cwd, llm }), workspace, secrets });
      onTestFinished(async () => void (await podman('rm', '--force', '--volumes', `conv-${id}`)));
      return id;
    };
    const value = 'secret-of-one-conversation-6f1d';
    const one = await begin({ DEPLOY_TOKEN: { kind: 'StaticSecret', value } });
    const other = await begin({});
    expect(await run(server, one, 'printf %s "$DEPLOY_TOKEN" | wc -c > made; echo made')).toContain('made');
    expect(await run(server, other, 'echo "[$DEPLOY_TOKEN]"; env; ls -A')).toContain('[]');
    const described = await Promise.all([one, other].map((id) => podman('inspect', `conv-${id}`)));
    const digests = described.map((text) => /CONV_SESSION_KEY_DIGESTS_0=(\S+?)"/.exec(text)?.[1]);
    expect(new Set(digests).size).toBe(2);
    for (const text of described) expect(text).not.toContain(value);
    await eventually(async () => {
      const names = await podman('ps', '--format', '{{.Names}}');
      return !names.includes(one) && !names.includes(other);
    });
    expect(await remains(one)).toHaveLength(2);
    expect(await run(server, one, 'cat made')).toContain(String(value.length));
    for (const id of [one, other]) await server.call('DELETE', `/api/conversations/${id}`);
    expect([...(await remains(one)), ...(await remains(other))]).toEqual([]);
  },
);
