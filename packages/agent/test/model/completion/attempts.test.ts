import { expect, test } from 'vitest';
import type { TokenDelta } from '@conv/core';
import { imageContent, textContent, userMessage } from '@conv/core/events';
import { call, drop, nonsense, say } from '@conv/testing-model-server';
import { scene } from '../../support/bench.ts';
import { look } from '../../support/tools.ts';

/** Returns the text of the last attempt, as a consumer shows it that drops the pieces of earlier attempts. */
function shown(tokens: readonly TokenDelta[]): string {
  const last = Math.max(...tokens.map(({ attempt }) => attempt));
  return tokens
    .filter(({ attempt }) => attempt === last)
    .map(({ text }) => text)
    .join('');
}

test('a stream that breaks off in the middle repeats nothing to a consumer that drops earlier attempts', async () => {
  const half = drop('mid-stream', say(['a', 'b', 'c', 'd', 'e', 'f']));
  await using stage = await scene([half, half, say(['a', 'b', 'c'])]);
  stage.bench.streams = true;
  stage.bench.say('Spell');
  await stage.bench.step();
  expect(new Set(stage.bench.tokens.map(({ attempt }) => attempt))).toEqual(new Set([1, 2, 3]));
  expect(shown(stage.bench.tokens)).toBe('abc');
  expect(stage.bench.ofKind('MessageEvent').at(-1)?.llm_message.content).toEqual([textContent('abc')]);
  expect(stage.bench.records).toHaveLength(1);
});

test('half a call in a broken stream is no call', async () => {
  const args = ['{"wh', 'at": "', 'a"', '}'];
  await using stage = await scene([drop('mid-stream', call('look', args)), call('look', args), say('Done.')], {
    agent: { tools: [look] },
  });
  stage.bench.streams = true;
  stage.bench.say('Look');
  await stage.bench.step();
  expect(stage.bench.ofKind('ActionEvent')).toHaveLength(1);
  expect(shown(stage.bench.tokens)).toBe('{"what": "a"}');
});

test('a request that is sent again without what was refused is a further attempt', async () => {
  const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const begun = {
    ...chunk,
    choices: [{ index: 0, delta: { role: 'assistant', content: 'I see' }, finish_reason: null }],
  };
  const refusal = { error: { message: 'invalid image', type: 'invalid_request_error', code: 'invalid_image' } };
  const broken = nonsense([begun, refusal].map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));
  await using stage = await scene([broken, say(['Noth', 'ing.'])]);
  stage.bench.streams = true;
  stage.bench.append([userMessage([textContent('Look'), imageContent('data:image/png;base64,AAAA')])]);
  await stage.bench.step();
  expect(stage.bench.tokens.map(({ attempt, text }) => [attempt, text])).toEqual([
    [1, 'I see'],
    [2, 'Noth'],
    [2, 'ing.'],
  ]);
});
