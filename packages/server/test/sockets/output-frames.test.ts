import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { OutputFrames } from '../../src/sockets/output-frames.ts';

function frames() {
  const platform = new ManualPlatform();
  const sent: (readonly [id: string, content: string])[] = [];
  const output = new OutputFrames(platform, ({ plain }) => {
    const { type, tool_call_id: id, content } = JSON.parse(plain.toString()) as Record<string, string>;
    expect(type).toBe('tool_output');
    sent.push([id ?? '', content ?? '']);
  });
  return { platform, sent, output };
}

test('the first piece of output is sent at once, and later pieces together after a pause', () => {
  const { platform, sent, output } = frames();
  for (const text of ['one ', 'two ', 'three']) output.take({ toolCallId: 'a', text });
  output.take({ toolCallId: 'b', text: 'beside' });
  expect(sent).toEqual([['a', 'one ']]);
  platform.pass(100);
  expect(sent.slice(1)).toEqual([
    ['a', 'two three'],
    ['b', 'beside'],
  ]);
  platform.pass(100);
  output.take({ toolCallId: 'a', text: 'four' });
  expect(sent.at(-1)).toEqual(['a', 'four']);
});

test('a flood of output is sent from its end, in frames of 8,000 characters', () => {
  const { platform, sent, output } = frames();
  output.take({ toolCallId: 'a', text: '.' });
  for (let line = 0; line < 10_000; line++) output.take({ toolCallId: 'a', text: `line ${line}\n` });
  platform.pass(100);
  expect(sent).toHaveLength(2);
  expect(sent[1]?.[1]).toHaveLength(8_000);
  expect(sent[1]?.[1]).toMatch(/line 9999\n$/);
});

test('output that waits is forgotten with the end of its call, and with the feed', () => {
  const { platform, sent, output } = frames();
  for (const text of ['one', 'two']) output.take({ toolCallId: 'a', text });
  output.end('a');
  platform.pass(100);
  for (const text of ['three', 'four']) output.take({ toolCallId: 'a', text });
  output.close();
  platform.pass(100);
  expect(sent.map(([, content]) => content)).toEqual(['one', 'three']);
});
