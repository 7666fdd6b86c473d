import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  eventSchemas,
  eventToJson,
  isAction,
  isEvent,
  isObservation,
  parseEvent,
  readEvent,
} from '../../src/events/index.ts';
import { isEventError } from '../../src/events/event-error.ts';
import { isKnownEvent } from '../../src/events/guards.ts';
import { unreadableReason } from '../../src/events/unreadable.ts';
import { exampleEvents, socketFrames, storedConversations } from './stored-events.ts';

const stored = storedConversations().flatMap(({ eventTexts }) => eventTexts);
const everything = [...stored, ...socketFrames(), ...exampleEvents()];

function example(kind: string): Record<string, unknown> {
  const text = exampleEvents().find((line) => line.endsWith(`"kind":"${kind}"}`));
  return JSON.parse(text ?? '');
}

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}

const plainJson = fc.jsonValue({ maxDepth: 3 });
const unknownKey = fc.string({ minLength: 1 }).map((key) => `x_${key}`);

describe('parseEvent', () => {
  test('P3: every event the reference wrote or sent comes back equal, in the same key order', () => {
    expect(stored.length).toBe(83);
    for (const text of everything) {
      const event = parseEvent(JSON.parse(text));
      expect(isKnownEvent(event)).toBe(true);
      expect(JSON.stringify(event)).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  test('P3: an event of the reference is written as the same bytes', () => {
    for (const text of stored.filter((line) => !line.includes('.0,')))
      expect(eventToJson(parseEvent(JSON.parse(text)))).toBe(text);
  });

  test('the examples of the protocol cover every kind', () => {
    const kinds = exampleEvents().map((text) => parseEvent(JSON.parse(text)).kind);
    expect([...new Set(kinds)].toSorted()).toEqual(Object.keys(eventSchemas).toSorted());
  });

  test('an event is frozen down to its last object', () => {
    for (const text of everything) expect(isDeeplyFrozen(parseEvent(JSON.parse(text)))).toBe(true);
  });

  test('a wrong field is named in the error, with the cause', () => {
    const base = example('ActionEvent');
    const event = { ...base, tool_call: { id: 'call_01', name: 7, arguments: '{}', origin: 'completion' } };
    const error = thrownBy(() => parseEvent(event));
    expect(isEventError(error)).toBe(true);
    expect(error).toMatchObject({ code: 'INVALID_EVENT', path: ['tool_call', 'name'], cause: { name: 'ZodError' } });
    expect(String(error)).toContain(`ActionEvent ${String(base['id'])}: tool_call.name`);
  });

  test('a wrong field of a known action is named too', () => {
    const event = { ...example('ActionEvent'), action: { command: 5, kind: 'TerminalAction' } };
    expect(thrownBy(() => parseEvent(event))).toMatchObject({ path: ['action', 'command'] });
  });

  test.each([
    ['null', null],
    ['an array', []],
    ['no kind', { id: 'a' }],
    ['no id', { kind: 'PauseEvent' }],
    ['the reserved id', { ...example('PauseEvent'), id: '__root__' }],
    ['an unknown kind without a timestamp', { id: 'a', kind: 'Later', source: 'user' }],
    ['a function inside', { ...example('HookExecutionEvent'), hook_input: { run: () => 1 } }],
    ['a number that is none', { ...example('HookExecutionEvent'), hook_input: { n: Number.NaN } }],
    ['an object of a class', { ...example('HookExecutionEvent'), hook_input: { at: new Date(0) } }],
  ])('%s is refused with INVALID_EVENT', (_name, value) => {
    expect(isEventError(thrownBy(() => parseEvent(value)))).toBe(true);
  });

  test('a circular value is refused and not followed for ever', () => {
    const hookInput: Record<string, unknown> = {};
    hookInput['self'] = hookInput;
    const event = { ...example('HookExecutionEvent'), hook_input: hookInput };
    expect(isEventError(thrownBy(() => parseEvent(event)))).toBe(true);
  });

  test('absent defaults stay absent and nulls stay null', () => {
    const event = { ...example('MessageEvent'), sender: null, llm_message: { role: 'user', content: 'hi' } };
    const text = JSON.stringify(event);
    expect(JSON.stringify(parseEvent(event))).toBe(text);
  });

  test('unknown fields survive on every kind, at any place', () => {
    const source = fc.constantFrom(...exampleEvents());
    fc.assert(
      fc.property(source, fc.dictionary(unknownKey, plainJson), (text, extra) => {
        const value = { ...extra, ...JSON.parse(text), ...extra };
        const before = JSON.stringify(value);
        const event = parseEvent(value);
        expect(JSON.stringify(event)).toBe(before);
        expect(isKnownEvent(event)).toBe(true);
      }),
    );
  });

  test('unknown kinds survive with all they carry', () => {
    fc.assert(
      fc.property(unknownKey, fc.dictionary(unknownKey, plainJson), (kind, fields) => {
        const value = { id: 'e-1', timestamp: '2026-01-01T00:00:00.000000', source: 'later', ...fields, kind };
        const before = JSON.stringify(value);
        const event = parseEvent(value);
        expect(isKnownEvent(event)).toBe(false);
        expect(unreadableReason(event)).toBeUndefined();
        expect(eventToJson(event)).toBe(before);
      }),
    );
  });
});

describe('readEvent', () => {
  test('a known kind with a wrong field is kept as unreadable, with the reason', () => {
    const value = { ...example('MessageEvent'), llm_message: 'no message' };
    const before = JSON.stringify(value);
    const event = readEvent(value);
    expect(unreadableReason(event)).toContain('llm_message');
    expect(isEvent(event, 'MessageEvent')).toBe(false);
    expect(isKnownEvent(event)).toBe(false);
    expect(eventToJson(event)).toBe(before);
    expect(isDeeplyFrozen(event)).toBe(true);
  });

  test('an odd action leaves its event readable and is itself open', () => {
    const event = readEvent({
      ...example('ActionEvent'),
      action: { command: { later: true }, kind: 'TerminalAction' },
    });
    expect(isEvent(event, 'ActionEvent')).toBe(true);
    if (!isEvent(event, 'ActionEvent')) return;
    expect(isAction(event.action, 'TerminalAction')).toBe(false);
    expect(unreadableReason(event.action ?? {})).toContain('action.command');
  });

  test('an odd observation leaves its event readable as long as its content is', () => {
    const value = example('ObservationEvent');
    const odd = readEvent({
      ...value,
      observation: { content: [{ text: 'a' }], command: 1, kind: 'TerminalObservation' },
    });
    expect(isEvent(odd, 'ObservationEvent') && isObservation(odd.observation, 'TerminalObservation')).toBe(false);
    expect(isEvent(odd, 'ObservationEvent')).toBe(true);
    const worse = readEvent({ ...value, observation: { content: [1], kind: 'TerminalObservation' } });
    expect(isEvent(worse, 'ObservationEvent')).toBe(false);
  });

  test('an odd action in an event that is wrong elsewhere makes the event unreadable', () => {
    const value = { ...example('ActionEvent'), action: { command: 1, kind: 'TerminalAction' }, tool_name: 4 };
    expect(isKnownEvent(readEvent(value))).toBe(false);
  });

  test('a frozen value can be read, and reading twice changes nothing', () => {
    const frozen = Object.freeze({ ...example('MessageEvent'), llm_message: 3 });
    const once = readEvent(frozen);
    expect(unreadableReason(once)).toBeDefined();
    expect(readEvent(once)).toBe(once);
  });

  test('a damaged object with id and kind is read and comes back equal', () => {
    fc.assert(
      fc.property(fc.constantFrom(...exampleEvents()), fc.nat(), plainJson, (text, position, junk) => {
        const value: Record<string, unknown> = JSON.parse(text);
        const keys = Object.keys(value).filter((key) => key !== 'id' && key !== 'kind');
        value[keys[position % keys.length] ?? ''] = junk;
        const before = JSON.stringify(value);
        expect(JSON.stringify(readEvent(value))).toBe(before);
      }),
    );
  });

  test.each([null, 'text', [], {}, { id: 'a' }, { kind: 'PauseEvent' }])('%j is refused', (value) => {
    expect(isEventError(thrownBy(() => readEvent(value)))).toBe(true);
  });
});
