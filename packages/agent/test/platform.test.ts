import { isEvent } from '@conv/core/events';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { createAgent, createModel } from '../src/index.ts';
import { startBench } from './support/bench.ts';
import { scriptedModel } from './support/scripted-model.ts';

const never = new AbortController().signal;
const hang = (): Promise<never> => new Promise(() => {});

test('the time of the platform ends the tries of a silent model, and the waits between them', async () => {
  const platform = new ManualPlatform();
  const model = createModel({
    languageModel: {
      specificationVersion: 'v4',
      provider: 'silent',
      modelId: 'model',
      supportedUrls: {},
      doGenerate: hang,
      doStream: hang,
    },
    timeout: 3_600_000,
    retry: { attempts: 2, minDelay: 8_000 },
  });
  await using bench = await startBench(createAgent({ platform, model }));
  const answer = bench.session.answer('Why?', bench.events, never);
  answer.catch(() => {});
  for (const wait of [3_600_000, 4_000, 3_600_000]) {
    await platform.untilWaiting(wait);
    platform.pass(wait);
  }
  await expect(answer).rejects.toMatchObject({ code: 'TIMEOUT' });
});

test('the day in the system prompt is the day of the platform', async () => {
  const platform = new ManualPlatform(Date.UTC(2031, 4, 6));
  await using bench = await startBench(createAgent({ platform, model: scriptedModel([]) }));
  const [prompt] = bench.events;
  expect(prompt && isEvent(prompt, 'SystemPromptEvent') && JSON.stringify(prompt)).toContain('Date: 2031-05-06');
});
