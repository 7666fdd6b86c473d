import { expect, test } from 'vitest';
import { textContent } from '@conv/core/events';
import { toChatMessages, toResponsesInput } from '../../src/messages/index.ts';

test('a long result of a tool is cut at 50,000 characters in both formats', () => {
  const message = {
    role: 'tool' as const,
    content: [textContent('a'.repeat(60_000))],
    tool_call_id: 'c',
    name: 'n',
    thinking_blocks: [],
  };
  expect(toChatMessages([message])[0]?.content).toHaveProperty('0.text.length', 50_000);
  expect(toChatMessages([message], { forceString: true })[0]?.content).toHaveLength(50_000);
  expect(toResponsesInput([message]).input[0]).toHaveProperty('output.length', 50_000);
});

test('caching an empty message does not fail', () => {
  const empty = { role: 'user' as const, content: [], thinking_blocks: [] };
  expect(toChatMessages([{ ...empty, role: 'system' }, empty], { cachePrompt: true })).toHaveLength(2);
});

test('the system text leads the first user message with a subscription, and no reasoning is sent', () => {
  const messages = [
    { role: 'system' as const, content: [textContent('rules')], thinking_blocks: [] },
    { role: 'user' as const, content: [textContent('go')], thinking_blocks: [] },
    {
      role: 'assistant' as const,
      content: [],
      thinking_blocks: [],
      responses_reasoning_item: { id: 'rs', summary: [] },
    },
  ];
  expect(toResponsesInput(messages, { subscription: true })).toEqual({
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'rules' },
          { type: 'input_text', text: 'go' },
        ],
      },
    ],
  });
  expect(toResponsesInput(messages.slice(0, 1), { subscription: true }).input).toEqual([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'rules' }] },
  ]);
});

test('a tool message without a name is a TypeError, not a bad request', () => {
  expect(() => toChatMessages([{ role: 'tool', content: [], tool_call_id: 'a', thinking_blocks: [] }])).toThrow(
    TypeError,
  );
});
