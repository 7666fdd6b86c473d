import { expect, test } from 'vitest';

import { ConversationState, initialFields, type StatePatch } from '../../src/index.ts';
import { keptJson } from '../../src/platform/json.ts';
import { userMessage, type EventDraft } from '../../src/events/index.ts';
import { MemoryStore, StoreError, toEventIndex, type CallRecord, type Journal } from '../../src/store/index.ts';

const ID = '11111111-1111-4111-8111-111111111111';

async function opened(): Promise<{ state: ConversationState; reopen: () => Promise<ConversationState> }> {
  const store = new MemoryStore();
  const open = async (): Promise<ConversationState> =>
    ConversationState.open(await store.open(ID, { owner: 'test' }), { id: ID });
  const state = await open();
  return { state, reopen: () => state.close().then(open) };
}

function nested(depth: number): object {
  let value = {};
  for (let level = 0; level < depth; level++) value = { value };
  return value;
}

function circular(): object {
  const value: Record<string, unknown> = {};
  value['itself'] = value;
  return value;
}

test.each<[string, unknown]>([
  ['a bigint', 5n],
  ['NaN', Number.NaN],
  ['a function', () => {}],
  ['a date', new Date()],
  ['a circle', circular()],
  ['5000 levels', nested(5000)],
])('P13: a patch with %s is INVALID_INPUT, and the conversation goes on', async (_, value) => {
  const { state, reopen } = await opened();
  const patch = { add: { agentState: { value } } } as unknown as StatePatch;
  await expect(state.update(patch)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await state.append([userMessage('x')]);
  expect((await reopen()).agentState).toEqual({});
});

test('P13: a call record that is not JSON is INVALID_INPUT', async () => {
  const state = new ConversationState();
  const record = { kind: 'model_call', usageId: 'agent', cost: Number.NaN } as CallRecord;
  await expect(state.append([], { records: [record] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(state.stats).toEqual({});
});

test('P6: changing a value after it was passed in changes neither state nor log', async () => {
  const { state, reopen } = await opened();
  const analyzer = { kind: 'X', list: [1] };
  await state.update({ set: { securityAnalyzer: keptJson<'analyzer'>(analyzer) } });
  analyzer.list.push(2);
  expect(state.securityAnalyzer).toEqual({ kind: 'X', list: [1] });
  expect((await reopen()).securityAnalyzer).toEqual({ kind: 'X', list: [1] });
});

test('P6: the values that all conversations begin with cannot be changed', () => {
  const { tags, extra } = new ConversationState();
  expect(() => Object.assign(tags, { a: 'b' })).toThrow(TypeError);
  expect(() => Object.assign(extra.meta, { a: 'b' })).toThrow(TypeError);
  expect(initialFields.tags).toEqual({});
});

test('P6: a key named __proto__ is a key like any other', async () => {
  const { state, reopen } = await opened();
  const agentState = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Record<string, never>;
  await state.update({ add: { agentState } });
  const json = '{"__proto__":{"a":1},"constructor":2}';
  expect(JSON.stringify(state.agentState)).toBe(json);
  expect(JSON.stringify((await reopen()).agentState)).toBe(json);
});

test('positions are converted to whole numbers as in an array', async () => {
  const { events } = await withFive();
  const array = await events.slice();
  for (const index of [1.5, -1.5, Number.NaN, Infinity, -Infinity]) {
    expect(await events.at(index)).toBe(array.at(index));
    expect(await events.slice(index)).toEqual(array.slice(index));
    expect(await events.slice(0, index)).toEqual(array.slice(0, index));
  }
});

async function withFive(): Promise<ConversationState> {
  const state = new ConversationState();
  for (let number = 0; number < 5; number++) await state.append([userMessage(String(number))]);
  return state;
}

test.each<[string, unknown, unknown]>([
  ['nothing', null, undefined],
  ['a number', 5, undefined],
  ['a negative start', {}, -5],
  ['half an event', {}, 1.5],
])('P13: subscribing %s is INVALID_INPUT', (_, subscriber, from) => {
  const state = new ConversationState();
  const options = from === undefined ? {} : { from: toEventIndex(from as number) };
  expect(() => state.subscribe(subscriber as object, options)).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }),
  );
  expect(state.subscriptions.wantsTokens).toBe(false);
});

test('P1: a grace longer than any timer is waited for, not skipped', async () => {
  const state = new ConversationState();
  let delivered = false;
  const gate = Promise.withResolvers<void>();
  state.subscribe({ onEvent: () => gate.promise.then(() => void (delivered = true)) });
  await state.append([userMessage('x')]);
  const waiting = state.delivered(Infinity);
  setTimeout(gate.resolve, 20);
  await waiting;
  expect(delivered).toBe(true);
});

test('an event that does not fit is named once', async () => {
  const state = new ConversationState();
  const error = await state.append([{ kind: 'Nope' } as never]).catch(String);
  expect(error).toMatch(/^ConversationError: \[INVALID_EVENT\] (?!\[)/);
});

test.each<[string, object, RegExp]>([
  ['an empty id', { id: '' }, /MessageEvent: the id ""/],
  ['a number for an id', { id: 5 }, /MessageEvent: the id of type number/],
  ['an empty time', { timestamp: '' }, /timestamp: expected a time, found ""/],
  ['a word for a time', { timestamp: 'yesterday' }, /timestamp: expected a time, found "yesterday"/],
  [
    'a day that no calendar has',
    { timestamp: '2026-13-01T10:00:00.000000' },
    /timestamp: expected a time, found "2026-13-01/,
  ],
  ['more than a time', { timestamp: '2026-03-01T10:00:00.000000 or so' }, /or so/],
  ['a number for a time', { timestamp: 1_700_000_000_000n }, /timestamp: expected a time, found of type bigint/],
])('P13: an event with %s is INVALID_EVENT, and nothing is stored', async (_, own, message) => {
  const { state, reopen } = await opened();
  const wrong = { ...userMessage('x'), ...own } as EventDraft;
  await expect(state.append([userMessage('first'), wrong])).rejects.toMatchObject({
    code: 'INVALID_EVENT',
    message: expect.stringMatching(message),
  });
  await state.append([userMessage('x')]);
  expect((await reopen()).events.length).toBe(1);
});

test.each(['2026-03-01T10:00:00', '2026-03-01T10:00:00.5', '2026-03-01T10:00:00.000123Z', '2026-03-01T10:00:00+02:00'])(
  'the time %s, as other programs write it, is kept',
  async (timestamp) => {
    const state = new ConversationState();
    const [event] = await state.append([{ ...userMessage('x'), id: 'own', timestamp }]);
    expect(event).toMatchObject({ id: 'own', timestamp });
  },
);

test('a store that cannot be read is STORE_FAILED wherever it is read', async () => {
  const journal = await new MemoryStore().open(ID, { owner: 'test' });
  const state = await ConversationState.open(broken(journal), { id: ID });
  for (let number = 0; number < 300; number++) await state.append([userMessage('x')]);
  failing = true;
  const failed = expect.objectContaining({ code: 'STORE_FAILED', conversationId: ID });
  const reads: (() => Promise<unknown>)[] = [
    () => state.events.at(0),
    () => state.events.get('unknown'),
    () => state.events.slice(0, 5),
    () => state.events.branch(),
    () => state.events.leaves(),
    () => Array.fromAsync(state.events),
    () => Array.fromAsync(state.reader.commits()),
    () => state.conversationHistory(),
  ];
  for (const read of reads) await expect(read()).rejects.toEqual(failed);
  failing = false;
});

let failing = false;

function broken(journal: Journal): Journal {
  return new Proxy(journal, {
    get: (target, key) => {
      if (failing && (key === 'commits' || key === 'locate' || key === 'snapshot'))
        throw new StoreError('UNAVAILABLE', 'unreadable');
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
