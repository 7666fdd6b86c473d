import { expect, test } from 'vitest';

import { readLlm } from '../../src/descriptions/index.ts';

test('members of a stored model that have another type count as absent, and the object stays as it is', () => {
  const stored = {
    model: 5,
    usage_id: '',
    timeout: '300',
    temperature: null,
    disable_vision: 'yes',
    reasoning_effort: 'most',
    extra_headers: 'none',
    provider_options: [],
    fallbacks: 'gpt-5',
    fallback_strategy: ['a'],
    of_a_newer_version: { a: [1] },
  };
  const { stored: kept, ...read } = readLlm(stored);
  expect(kept).toBe(stored);
  expect(Object.entries(read).filter(([, value]) => value !== undefined)).toEqual([
    ['extra_headers', {}],
    ['fallbacks', []],
    ['fallback_strategy', { fallback_llms: [] }],
  ]);
});

test('a fallback that is not an object keeps its place, so that errors name the right one', () => {
  const { fallbacks, fallback_strategy: strategy } = readLlm({
    fallbacks: ['a', { model: 'b' }],
    fallback_strategy: { fallback_llms: ['fast', 5] },
  });
  expect(fallbacks).toEqual([undefined, { model: 'b' }]);
  expect(strategy.fallback_llms).toEqual(['fast', '5']);
});

test('numbers beyond the bounds of requests are read, because stored models may have them', () => {
  expect(readLlm({ temperature: -1, timeout: 0.5 })).toMatchObject({ temperature: -1, timeout: 0.5 });
});
