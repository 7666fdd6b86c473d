import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventBytes, eventToJson, parseEvent, stampEvent, textContent, userMessage } from '../../src/events/index.ts';

const BASE = { id: 'a', timestamp: 't', source: 'environment' };

test('nulls of models are left out, those of free-form values kept, in the order of the event', () => {
  const event = parseEvent({
    kind: 'HookExecutionEvent',
    ...BASE,
    tool_name: null,
    hook_input: { a: null, b: { c: null } },
    hook_command: 'x',
    hook_event_type: 'Stop',
    success: true,
    reason: null,
    exit_code: 0,
    later_field: null,
  });
  expect(eventToJson(event)).toBe(
    '{"kind":"HookExecutionEvent","id":"a","timestamp":"t","source":"environment","hook_input":{"a":null,"b":{"c":null}},' +
      '"hook_command":"x","hook_event_type":"Stop","success":true,"exit_code":0,"later_field":null}',
  );
});

test('nulls are left out of nested models too', () => {
  const llmMessage = { role: 'user', content: [textContent('a')], name: null, tool_calls: null, thinking_blocks: [] };
  const event = parseEvent({ ...BASE, llm_message: llmMessage, sender: null, kind: 'MessageEvent' });
  expect(JSON.parse(eventToJson(event)).llm_message).toEqual({
    role: 'user',
    content: [textContent('a')],
    thinking_blocks: [],
  });
});

test('an event of an unknown kind is written as it is', () => {
  const text = '{"id":"a","timestamp":"t","source":"x","b":null,"kind":"Later"}';
  expect(eventToJson(parseEvent(JSON.parse(text)))).toBe(text);
});

test('the size is that of the UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const event = stampEvent(userMessage(text), { id: 'a', timestamp: 't' });
      expect(eventBytes(event)).toBe(Buffer.byteLength(eventToJson(event)));
    }),
  );
});
