import { expect, test } from 'vitest';
import { type EventKind, eventSchemas, parseEvent, readEvent } from '../../src/events/index.ts';
import { isEventError } from '../../src/events/event-error.ts';
import { isLlmConvertible, isObservationLike, isStoredEvent, movesHead } from '../../src/events/guards.ts';
import { EventError } from '../../src/events/event-error.ts';
import { exampleEvents } from './stored-events.ts';

const events = exampleEvents().map((text) => parseEvent(JSON.parse(text)));
const unknown = parseEvent({ id: 'a', timestamp: 't', source: 'x', kind: 'Later' });

function kindsThat(holds: (event: (typeof events)[number]) => boolean): string[] {
  return events
    .filter(holds)
    .map(({ kind }) => kind)
    .toSorted();
}

function kindsBut(...left: readonly EventKind[]): string[] {
  return (Object.keys(eventSchemas) as EventKind[]).filter((kind) => !left.includes(kind)).toSorted();
}

test('a model reads messages, calls, their results and summaries', () => {
  expect(kindsThat(isLlmConvertible)).toEqual([
    'ActionEvent',
    'AgentErrorEvent',
    'CondensationSummaryEvent',
    'MessageEvent',
    'ObservationEvent',
    'SystemPromptEvent',
    'UserRejectObservation',
  ]);
});

test('every event moves HEAD and is stored but those of sockets, views and announcements', () => {
  const frames = ['ServerErrorEvent', 'StreamingDeltaEvent'] as const;
  expect(kindsThat(movesHead)).toEqual(kindsBut('ConversationStateUpdateEvent', ...frames));
  expect(kindsThat(isStoredEvent)).toEqual(kindsBut('CondensationSummaryEvent', ...frames));
});

test('isObservationLike accepts the results of calls', () => {
  expect(kindsThat(isObservationLike)).toEqual(['AgentErrorEvent', 'ObservationEvent', 'UserRejectObservation']);
});

test('state updates are stored without moving HEAD, except for the full state, which is not stored', () => {
  const update = { id: 'a', timestamp: 't', source: 'environment', kind: 'ConversationStateUpdateEvent', value: {} };
  expect(isStoredEvent(parseEvent({ ...update, key: 'stats' }))).toBe(true);
  expect(isStoredEvent(parseEvent({ ...update, key: 'full_state' }))).toBe(false);
  expect(movesHead(parseEvent({ ...update, key: 'stats' }))).toBe(false);
});

test('an unknown event is stored and moves HEAD, but the model does not see it', () => {
  expect([isStoredEvent(unknown), movesHead(unknown), isLlmConvertible(unknown)]).toEqual([true, true, false]);
});

test('an unreadable event moves HEAD as its kind does, but the model does not see it', () => {
  const event = readEvent({ ...unknown, kind: 'MessageEvent' });
  expect([isStoredEvent(event), movesHead(event), isLlmConvertible(event)]).toEqual([true, true, false]);
});

test('an EventError is known by its brand, not by its class', () => {
  expect(isEventError(new EventError('x'))).toBe(true);
  expect(isEventError(Object.defineProperty(new Error('x'), Symbol.for('conv.event.error'), { value: true }))).toBe(
    true,
  );
  expect([isEventError(new Error('x')), isEventError(undefined), isEventError('x')]).toEqual([false, false, false]);
});
