import { systemPlatform } from '@conv/core/platform';
import { expect, test } from 'vitest';

import { GrowingAnswer } from '../../src/http/growing-answer.ts';

test('an answer holds output that came while earlier output was sent, also when the rest came with it', async () => {
  const growing = new GrowingAnswer(systemPlatform);
  growing.write('first');
  const rest = Promise.resolve({ answer: 42 });
  let text = '';
  for await (const part of growing.text(rest)) {
    text += part;
    if (part.includes('first')) growing.write('last');
  }
  expect(JSON.parse(text)).toEqual({ output: ['first', 'last'], answer: 42 });
});
