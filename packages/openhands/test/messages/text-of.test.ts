import { expect, test } from 'vitest';

import { type Event, readEvent, stampEvent, userMessage } from '@conv/core/events';
import { textOf } from '../../src/messages/index.ts';

const stamp = { id: 'a', timestamp: '2026-01-01T00:00:00' };
const read = (value: object): Event => readEvent({ ...stamp, source: 'agent', ...value });
const call = { tool_name: 'x', tool_call_id: 'c', action_id: 'b' };
const image = { type: 'image', image_urls: ['https://example.org/a.png'] } as const;

test.for<[string, Event, string]>([
  ['a message', stampEvent(userMessage([{ text: 'one ' }, image, { text: 'two' }]), stamp), 'one two'],
  [
    'a result',
    read({
      ...call,
      kind: 'ObservationEvent',
      source: 'environment',
      observation: { kind: 'MCPToolObservation', tool_name: 'x', content: [{ type: 'text', text: 'done' }] },
    }),
    'done',
  ],
  [
    'an error of a call',
    read({ tool_name: 'x', tool_call_id: 'c', kind: 'AgentErrorEvent', error: 'no such file' }),
    'no such file',
  ],
  [
    'a rejection',
    read({ ...call, kind: 'UserRejectObservation', source: 'user', rejection_reason: 'too risky' }),
    'too risky',
  ],
  ['an error of a conversation', read({ kind: 'ConversationErrorEvent', code: 'X', detail: 'it broke' }), 'it broke'],
  ['a pause', read({ kind: 'PauseEvent', source: 'user' }), ''],
  ['an event of an unknown kind', read({ kind: 'EventOfTomorrow', text: 'x' }), ''],
])('the text of %s is %j', ([, event, text]) => {
  expect(textOf(event)).toBe(text);
});
