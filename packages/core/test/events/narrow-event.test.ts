import { expect, test } from 'vitest';

import { type Event, narrowEvent, readEvent, stampEvent, userMessage } from '../../src/events/index.ts';

const stamp = { id: '00000000-0000-4000-8000-000000000001', timestamp: '2026-01-01T00:00:00' };
const message: Event = stampEvent(userMessage('hello'), stamp);
const read = (value: object): Event => readEvent({ ...stamp, source: 'agent', ...value });

test('P6: an event of a known kind is narrowed to itself', () => {
  expect(narrowEvent(message)).toBe(message);
});

test.for([
  ['of a kind of tomorrow', { kind: 'EventOfTomorrow', more: { deep: [1] } }],
  ['of a known kind with other fields', { kind: 'MessageEvent', llm_message: 5 }],
  ['whose kind is the name of the stand-in', { kind: 'UnknownEvent' }],
] as const)('P6: an event %s is narrowed to one kind, and keeps what is stored', ([, value]) => {
  const event = read(value);
  expect(narrowEvent(event)).toEqual({ kind: 'UnknownEvent', id: stamp.id, stored: event });
  expect(event.kind).toBe(value.kind);
});
