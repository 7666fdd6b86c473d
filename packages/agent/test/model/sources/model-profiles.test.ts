import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Cipher } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import {
  anthropic,
  createAgent,
  createAgentFactory,
  isAgentError,
  type ModelProfiles,
  modelProfiles,
  openai,
  storedModelWithProfiles,
  withFallbacks,
} from '../../../src/index.ts';
import { scriptedModel } from '../../support/scripted-model.ts';

/** Stands in for the wire's cipher: its tokens are told from plain text as the real ones are. */
const cipher: Cipher = {
  encrypt: (plain) => `gAAAAA${Buffer.from(plain).toString('base64url')}`,
  decrypt: (token) => Buffer.from(token.slice('gAAAAA'.length), 'base64url').toString(),
};
const KEY = 'sk-test-0123456789';

interface Place {
  readonly folder: string;
  readonly profiles: ModelProfiles;
  /** Puts a file there as another program would. */
  readonly put: (name: string, content: object | string) => Promise<void>;
}

async function place(): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'conv-profiles-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const folder = join(directory, 'profiles');
  const put = async (name: string, content: object | string): Promise<void> => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${name}.json`), typeof content === 'string' ? content : JSON.stringify(content));
  };
  return { folder, put, profiles: modelProfiles({ directory, cipher }) };
}

/** The warnings that the process gives while the test runs, when the next of them is there. */
function nextWarning(): Promise<Error> {
  return new Promise((resolve) => void process.once('warning', resolve));
}

test('a saved model is the same again, its key encrypted, in a file for its owner alone', async () => {
  const { folder, profiles } = await place();
  const saved = withFallbacks(
    openai('gpt-5', {
      apiKey: KEY,
      settings: { temperature: 0.2, reasoning: 'low' },
      price: { input: 2, output: 8, cacheRead: 0.5 },
      contextWindow: 1000,
    }),
    [anthropic('claude-opus-4-1', { apiKey: KEY })],
  );
  await profiles.save('fast', saved);
  const path = join(folder, 'fast.json');
  const text = await readFile(path, 'utf8');
  expect(text).not.toContain(KEY);
  expect(text).toContain('\n  "model": "openai/gpt-5"');
  expect([(await stat(path)).mode & 0o777, await readdir(folder)]).toEqual([0o600, ['fast.json']]);
  const loaded = await profiles.load('fast');
  expect(loaded).toMatchObject({
    name: 'openai/gpt-5',
    usageId: 'profile:fast',
    settings: { temperature: 0.2, reasoning: 'low' },
    price: { input: 2, output: 8, cacheRead: 0.5 },
    contextWindow: 1000,
    fallbacks: [{ name: 'anthropic/claude-opus-4-1' }],
  });
  expect(loaded.secrets()).toEqual({ api_key: KEY });
});

test('a profile of OpenHands is loaded, and its unknown members are saved again', async () => {
  const { folder, profiles, put } = await place();
  const theirs = {
    model: 'anthropic/claude-opus-4-1',
    api_key: cipher.encrypt(KEY),
    usage_id: 'default',
    aws_secret_access_key: cipher.encrypt('aws-secret-value'),
    litellm_extra_body: { a: [1] },
    caching_prompt: true,
    made_up_by_a_newer_version: 'x',
  };
  await put('theirs', theirs);
  const model = await profiles.load('theirs');
  expect(JSON.stringify(model)).not.toContain('aws-secret-value');
  await profiles.save('copy', model);
  const copy = JSON.parse(await readFile(join(folder, 'copy.json'), 'utf8')) as JsonObject;
  expect(copy).toEqual({ ...theirs, usage_id: 'profile:theirs' });
});

test('names are listed in order; other files are ignored; a missing folder holds no profiles', async () => {
  const { folder, profiles, put } = await place();
  expect(await profiles.list()).toEqual([]);
  for (const name of ['b', 'a.1', '.hidden']) await put(name, {});
  await writeFile(join(folder, '.profiles.lock'), '');
  await writeFile(join(folder, 'b.json.0d1.tmp'), '');
  expect(await profiles.list()).toEqual(['a.1', 'b']);
  await profiles.delete('b');
  expect(await profiles.list()).toEqual(['a.1']);
});

test.each(['', '..', '../up', 'a/b', '.hidden', 'a\0', 'x'.repeat(129), undefined as never])(
  'P13: %j is not the name of a profile, and nothing is touched',
  async (name) => {
    const { profiles } = await place();
    const model = openai('gpt-5', { apiKey: KEY });
    for (const attempt of [profiles.load(name), profiles.save(name, model), profiles.delete(name)])
      await expect(attempt).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    expect(await profiles.list()).toEqual([]);
  },
);

test('P13: a profile that is not there, is none, or lacks its key is refused and named', async () => {
  const { profiles, put } = await place();
  const missing: unknown = await profiles.load('nope').catch((error: unknown) => error);
  expect(isAgentError(missing, 'UNKNOWN_PROFILE')).toBe(true);
  expect(String(missing)).toContain('nope');
  await expect(profiles.delete('nope')).rejects.toMatchObject({ code: 'UNKNOWN_PROFILE' });
  await put('torn', '{"model": "op');
  await put('list', '[]');
  for (const name of ['torn', 'list'])
    await expect(profiles.load(name)).rejects.toMatchObject({ code: 'INVALID_PROFILE' });
  await put('keyless', { model: 'openai/gpt-5', api_key: '**********' });
  await expect(profiles.load('keyless')).rejects.toMatchObject({ code: 'CONFIG' });
});

test('a save that fails leaves what was there, and no file beside it', async () => {
  const { folder, profiles } = await place();
  await profiles.save('fast', openai('gpt-5', { apiKey: KEY }));
  const before = await readFile(join(folder, 'fast.json'), 'utf8');
  const broken: Cipher = {
    ...cipher,
    encrypt: () => {
      throw new Error('no key');
    },
  };
  const failing = modelProfiles({ directory: join(folder, '..'), cipher: broken });
  await expect(failing.save('fast', openai('gpt-5', { apiKey: 'sk-other-123456' }))).rejects.toThrow('no key');
  await mkdir(join(folder, 'taken.json', 'x'), { recursive: true });
  await expect(profiles.save('taken', openai('gpt-5', { apiKey: KEY }))).rejects.toMatchObject({
    code: expect.stringMatching(/EISDIR|ENOTEMPTY|EEXIST/) as string,
  });
  expect([await readFile(join(folder, 'fast.json'), 'utf8'), (await readdir(folder)).toSorted()]).toEqual([
    before,
    ['fast.json', 'taken.json'],
  ]);
});

test('keys are stored redacted without a cipher', async () => {
  const { folder } = await place();
  await modelProfiles({ directory: join(folder, '..') }).save('fast', openai('gpt-5', { apiKey: KEY }));
  expect(JSON.parse(await readFile(join(folder, 'fast.json'), 'utf8'))).toMatchObject({ api_key: '**********' });
});

test("a profile's fallbacks are loaded, not theirs in turn; a missing fallback is left out with a warning", async () => {
  const { profiles, put } = await place();
  const named = (model: string, ...names: string[]): object => ({
    model,
    api_key: cipher.encrypt(KEY),
    fallback_strategy: { fallback_llms: names },
  });
  await put('a', named('openai/gpt-5', 'b', 'gone'));
  await put('b', named('openai/gpt-4o', 'a'));
  const warned = nextWarning();
  const model = await profiles.load('a');
  expect(model.fallbacks?.map(({ name }) => name)).toEqual(['openai/gpt-4o']);
  expect((await warned).message).toContain('gone');
});

test('a stored agent finds the fallbacks that it names, and keeps its description', async () => {
  const { profiles, put } = await place();
  await put('b', { model: 'openai/gpt-4o', api_key: cipher.encrypt(KEY) });
  const stored: JsonObject = {
    kind: 'Agent',
    llm: {
      model: 'openai/gpt-5',
      api_key: cipher.encrypt(KEY),
      usage_id: 'default',
      fallback_strategy: { fallback_llms: ['b'] },
    },
  };
  const agent = await createAgentFactory({ profiles }).revive(stored, { cipher });
  expect(agent?.describe({ secrets: 'encrypted', cipher })).toEqual(stored);
  expect(agent?.secretValues?.()).toContain(KEY);
});

test('a model that is switched to finds the fallbacks that it names, and is described by their names', async () => {
  const { profiles, put } = await place();
  const named = { model: 'openai/gpt-5', api_key: KEY, fallback_strategy: { fallback_llms: ['b'] } };
  await put('a', named);
  await put('b', { model: 'openai/gpt-4o', api_key: KEY });
  for (const model of [await storedModelWithProfiles(named, profiles), await profiles.load('a')]) {
    expect(model.fallbacks?.map(({ name }) => name)).toEqual(['openai/gpt-4o']);
    const described = createAgent({ model: scriptedModel([]) })
      .withModel(model)
      .describe()['llm'] as JsonObject;
    expect(described).toMatchObject({ fallback_strategy: { fallback_llms: ['b'] } });
    expect(described).not.toHaveProperty('fallbacks');
  }
});

test('calls of another model after a restart are not counted under the profile’s usage id', async () => {
  const { profiles, put } = await place();
  await put('fast', { model: 'openai/gpt-5', api_key: cipher.encrypt(KEY) });
  const switched = createAgent({ model: scriptedModel([]), usageId: 'mine' }).withModel(await profiles.load('fast'));
  const usageIn = (agent: typeof switched | undefined): unknown =>
    (agent?.describe()['llm'] as JsonObject | undefined)?.['usage_id'];
  expect(usageIn(switched)).toBe('profile:fast');
  expect(usageIn(switched.withModel(scriptedModel([])))).toBe('mine');
  const again = await createAgentFactory().revive(switched.describe({ secrets: 'encrypted', cipher }), { cipher });
  expect([usageIn(again), usageIn(again?.withModel(scriptedModel([])))]).toEqual(['profile:fast', 'default']);
});
