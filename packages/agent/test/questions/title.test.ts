import { expect, test } from 'vitest';
import type { AskResult } from '@conv/core';
import { fail, say } from '@conv/testing-model-server';
import { scene, type Scene } from '../support/bench.ts';

function titled({ bench }: Scene, message = 'Please fix the login page.'): Promise<AskResult> {
  const { session } = bench;
  if (!session.title) throw new Error('the agent makes no titles');
  return session.title(message, 40, new AbortController().signal);
}

test('a title is asked for once, without tools, and counted under a name of its own', async () => {
  await using stage = await scene([say('Fixing the login page')]);
  const before = stage.bench.events.length;
  expect(await titled(stage)).toMatchObject({ text: 'Fixing the login page', record: { usageId: 'title' } });
  expect(stage.bench.events).toHaveLength(before);
  const [request] = stage.server.requests;
  expect([request?.tools, request?.stream]).toEqual([[], false]);
  for (const part of ['Please fix the login page.', '40']) expect(request?.messages.at(-1)?.text).toContain(part);
});

test.each([
  ['"Fixing the login page"', 'Fixing the login page'],
  ['Title: Fixing the login page', 'Fixing the login page'],
  ['**Fixing the login page**', 'Fixing the login page'],
  ['# Fixing the login page\n\nHere it is.', 'Fixing the login page'],
  ['\n\n「ログイン」を直す', '「ログイン」を直す'],
  ['…', ''],
])('decoration that models put around titles is removed: %j', async (answer, text) => {
  await using stage = await scene([say(answer)]);
  expect((await titled(stage)).text).toBe(text);
});

test('a model that fails is not asked again', async () => {
  await using stage = await scene([fail(503), say('Too late')]);
  await expect(titled(stage)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(stage.server.requests).toHaveLength(1);
});
