import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { keptJson, type JsonObject, type StoredHooks, type StoredPolicy } from '@conv/core';
import {
  callRecordsOf,
  diffFields,
  eventFileName,
  fallbackHead,
  fromBaseState,
  fromMeta,
  isFileId,
  parseEventFileName,
  toBaseState,
  toMeta,
} from '../../src/folder/index.ts';
import { initialFields, type StateFields } from '@conv/core';

const ID = '01234567-89ab-4cde-8f01-23456789abcd';

const text = fc.string({ maxLength: 6 });
const textMap = fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), text, { maxKeys: 2 });
const policies = fc.constantFrom<StoredPolicy>(
  { kind: 'AlwaysConfirm' },
  { kind: 'NeverConfirm' },
  keptJson<'policy'>({ kind: 'OfTomorrow', strength: 9 }),
);

const fieldsOfFile = fc.record({
  agent: fc.constant<JsonObject>({ kind: 'Agent', llm: { model: 'm', nothing: null } }),
  maxIterations: fc.integer({ min: 1, max: 1000 }),
  stuckDetection: fc.boolean(),
  executionStatus: fc.constantFrom(
    'idle',
    'running',
    'paused',
    'finished',
    'error',
    'stuck',
    'deleting',
    'waiting_for_confirmation',
  ),
  confirmationPolicy: policies,
  securityAnalyzer: fc.option(fc.constant({ kind: 'LLMSecurityAnalyzer' } as const)),
  activatedKnowledgeSkills: fc.array(text, { maxLength: 2 }),
  blockedActions: textMap,
  lastUserMessageId: fc.option(text),
  leafEventId: fc.option(text),
  headIsEmpty: fc.boolean(),
  tags: textMap,
  hookConfig: fc.option(fc.constant<StoredHooks>({ stop: [] })),
});

test('the state that is written to base_state.json is read back', () => {
  fc.assert(
    fc.property(fieldsOfFile, (fields) => {
      const state: StateFields = { ...initialFields, id: ID, ...(fields as Partial<StateFields>) };
      const file = JSON.parse(JSON.stringify(toBaseState(state))) as JsonObject;
      expect({ ...state, ...fromBaseState(file) }).toEqual(state);
      expect(JSON.stringify(file)).not.toContain('null,"');
    }),
  );
});

test('members of base_state.json that are not known here are written back', () => {
  const file = {
    ...toBaseState({ ...initialFields, id: ID }),
    member_of_tomorrow: { a: [1, null] },
    conv: { epoch: 1 },
  };
  const state: StateFields = { ...initialFields, ...fromBaseState(file) };
  const { conv, ...rest } = file;
  expect(conv).toBeDefined();
  expect(toBaseState(state)).toEqual(rest);
});

describe('P4: an unreadable setting never makes a conversation less strict', () => {
  test.each([[null], ['text'], [[]], [{}], [{ kind: 7 }], [42]])('policy %j becomes AlwaysConfirm', (policy) => {
    expect(fromBaseState({ confirmation_policy: policy } as JsonObject).confirmationPolicy).toEqual({
      kind: 'AlwaysConfirm',
    });
  });

  test('a file without a policy has the default of the reference', () => {
    expect(fromBaseState({}).confirmationPolicy).toEqual({ kind: 'NeverConfirm' });
  });
});

test('any JSON in base_state.json and meta.json is read without an error, member by member', () => {
  const members = [
    'workspace',
    'stats',
    'tags',
    'execution_status',
    'max_iterations',
    'invoked_skills',
    'title',
    'created_at',
    'agent',
  ];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...members), fc.jsonValue()), (file) => {
      const fields = {
        ...initialFields,
        ...fromBaseState(file as JsonObject),
        ...fromMeta(file as JsonObject),
      } as StateFields;
      expect(typeof fields.maxIterations).toBe('number');
      expect(typeof fields.workspace.workingDir).toBe('string');
      expect(() =>
        JSON.stringify([toBaseState({ ...fields, id: ID }), toMeta({ ...fields, id: ID }, '2026-01-01T00:00:00Z')]),
      ).not.toThrow();
      expect(callRecordsOf((file as JsonObject)['stats']).every(({ kind }) => kind === 'model_call')).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('HEAD can be left to the reader of the file', () => {
  const state = { ...initialFields, id: ID, leafEventId: 'x' };
  expect(toBaseState(state)).toHaveProperty('leaf_event_id', 'x');
  expect(toBaseState(state, { omitHead: true })).not.toHaveProperty('leaf_event_id');
});

test('meta.json names origin and parent, as keys where the reference has keys', () => {
  const forkedFrom = { conversationId: ID, eventId: 'e1' };
  const file = toMeta({ ...initialFields, id: ID, title: 't', parentId: ID, forkedFrom }, '2026-01-01T00:00:00Z');
  expect(file).toMatchObject({
    id: ID.replaceAll('-', ''),
    conversation_id: ID,
    parent_conversation_id: ID,
    forked_from_conversation_id: ID.replaceAll('-', ''),
    forked_from_event_id: 'e1',
    title: 't',
  });
  expect(fromMeta(JSON.parse(JSON.stringify(file)) as JsonObject)).toMatchObject({
    title: 't',
    parentId: ID,
    forkedFrom,
  });
});

test('a difference is what changed, and no difference is not a patch', () => {
  const before = { ...initialFields, tags: { a: '1' } };
  expect(diffFields(before, { tags: { a: '1' }, title: null })).toBeUndefined();
  expect(diffFields(before, { tags: { a: '2' }, title: null })).toEqual({ set: { tags: { a: '2' } } });
});

test('names of event files have five digits or more, and other names are no events', () => {
  expect(eventFileName(7, 'abcdef01')).toBe('event-00007-abcdef01.json');
  expect(eventFileName(1_234_567, 'abcdef01')).toBe('event-1234567-abcdef01.json');
  expect(parseEventFileName('event-100000-abcdef01.json')).toEqual({ index: 100_000, id: 'abcdef01' });
  const others = ['event-1-abcdef01.json', 'event-00001-x.json', 'event-00001-abcdef01.json.tmp', '.eventlog.lock'];
  expect(others.map(parseEventFileName)).toEqual([undefined, undefined, undefined, undefined]);
  expect([isFileId(ID), isFileId('my-event')]).toEqual([true, false]);
});

test('HEAD without a name is the last event that is no state update and no conversation error', () => {
  const event = (id: string, kind: string): never => ({ id, kind }) as never;
  expect(fallbackHead([])).toBeNull();
  expect(
    fallbackHead([
      event('a', 'MessageEvent'),
      event('b', 'ConversationErrorEvent'),
      event('c', 'ConversationStateUpdateEvent'),
    ]),
  ).toBe('a');
});
