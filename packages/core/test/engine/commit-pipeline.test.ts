import { expect, test } from 'vitest';

import { isConversationError } from '../../src/contract/errors/conversation-error.ts';
import { userMessage } from '../../src/events/index.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { foldJournal } from '../../src/engine/fold/fold-journal.ts';
import { MemoryStore, StoreError, type Journal, type StoreErrorCode } from '../../src/store/index.ts';

/**
 * A journal whose appends wait to be let through or refused; a refusal also refuses all appends that were made before it was
 * reported.
 */
class HeldJournal {
  readonly journal: Journal;
  readonly #held: { go: () => void; refuse: (error: Error) => void }[] = [];
  holding = false;

  constructor(inner: Journal) {
    this.journal = new Proxy(inner, {
      get: (target, key) => {
        if (key === 'append') return this.#append(inner);
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  #append(inner: Journal): Journal['append'] {
    return async (commit, after) => {
      if (this.holding) {
        const held = Promise.withResolvers<void>();
        this.#held.push({ go: held.resolve, refuse: held.reject });
        await held.promise;
      }
      return inner.append(commit, after);
    };
  }

  get waiting(): number {
    return this.#held.length;
  }

  letThrough(): void {
    for (const { go } of this.#held.splice(0)) go();
  }

  refuse(code: StoreErrorCode): void {
    for (const { refuse } of this.#held.splice(0)) refuse(new StoreError(code, 'injected'));
  }
}

async function open(): Promise<{ state: ConversationState; held: HeldJournal }> {
  const store = new MemoryStore();
  const held = new HeldJournal(await store.open('00000000-0000-4000-8000-000000000001', { owner: 'test' }));
  return { state: await ConversationState.open(held.journal), held };
}

/** Waits until this number of appends is held, because accepting has asynchronous steps. */
async function untilHeld(held: HeldJournal, count: number): Promise<void> {
  while (held.waiting < count) await new Promise((resolve) => setImmediate(resolve));
}

const say = (state: ConversationState, text: string): Promise<unknown> => state.append([userMessage(text)]);

test('P1: a change is visible when it is durable, and accepted before', async () => {
  const { state, held } = await open();
  held.holding = true;
  const seen: string[] = [];
  state.subscribe({ onEvent: ({ id }) => void seen.push(id) });
  const sending = say(state, 'a');
  await untilHeld(held, 1);
  expect(state.accepted.leafEventId).not.toBeNull();
  expect([state.leafEventId, state.events.length, seen]).toEqual([null, 0, []]);
  held.letThrough();
  await sending;
  expect(state.events.length).toBe(1);
  expect(state.accepted).toBe(state.fields);
});

test('commits of one conversation are in flight together, and each builds on the one before', async () => {
  const { state, held } = await open();
  held.holding = true;
  const sending = ['a', 'b', 'c'].map((text) => say(state, text));
  await untilHeld(held, 3);
  held.letThrough();
  await Promise.all(sending);
  const events = await state.events.slice();
  expect(events.map(({ parent_id }) => parent_id)).toEqual([undefined, events[0]?.id, events[1]?.id]);
});

for (const code of ['FULL', 'UNAVAILABLE', 'TOO_LARGE'] as const) {
  test(`P4: an append that fails with ${code} discards all accepted after it, and the conversation continues`, async () => {
    const { state, held } = await open();
    await say(state, 'kept');
    const before = state.fields;
    held.holding = true;
    const lost = ['a', 'b', 'c'].map((text) => say(state, text).catch((error: unknown) => error));
    await untilHeld(held, 3);
    held.refuse(code);
    const errors = await Promise.all(lost);
    expect(
      errors.every((error) => isConversationError(error, code === 'TOO_LARGE' ? 'EVENT_TOO_LARGE' : 'STORE_FAILED')),
    ).toBe(true);
    expect([state.fields, state.accepted]).toEqual([before, before]);
    held.holding = false;
    await say(state, 'again');
    const events = await state.events.slice();
    expect(events.map(({ parent_id }) => parent_id)).toEqual([undefined, events[0]?.id]);
    expect((await foldJournal(held.journal)).fields).toEqual(state.fields);
    expect(state.lost.aborted).toBe(false);
  });
}

for (const code of ['FENCED', 'OUTCOME_UNKNOWN'] as const) {
  test(`P2: the conversation is lost after ${code} and refuses every change`, async () => {
    const { state, held } = await open();
    held.holding = true;
    const sending = say(state, 'a').catch((error: unknown) => error);
    await untilHeld(held, 1);
    held.refuse(code);
    const expected = code === 'FENCED' ? 'FENCED' : 'STORE_FAILED';
    expect(isConversationError(await sending, expected)).toBe(true);
    expect(state.lost.aborted).toBe(true);
    const later = await say(state, 'b').catch((error: unknown) => error);
    expect(isConversationError(later, expected)).toBe(true);
    await state.close();
  });
}

test('P2: a conversation is lost whose journal is lost while its log is read', async () => {
  const journal = await new MemoryStore().open('00000000-0000-4000-8000-000000000001', { owner: 'test' });
  await ConversationState.open(journal);
  const lost = new AbortController();
  const taken = new StoreError('FENCED', 'another process has it');
  const late = new Proxy(journal, {
    get: (target, key) => {
      if (key === 'lost') return lost.signal;
      if (key === 'commits') lost.abort(taken);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const state = await ConversationState.open(late);
  expect(state.lost.reason).toBe(taken);
  await expect(say(state, 'late')).rejects.toMatchObject({ code: 'FENCED' });
});

test('a transaction that throws changes nothing, and the next one is not disturbed', async () => {
  const { state } = await open();
  const before = state.fields;
  const failing = state.transaction(async (transaction) => {
    await transaction.append(userMessage('never'));
    transaction.update({ set: { title: 'never' } });
    throw new Error('changed my mind');
  });
  const next = say(state, 'next');
  await expect(failing).rejects.toThrow('changed my mind');
  await next;
  expect(state.end).toEqual({ seq: 2, event: 1 });
  expect(state.title).toBe(before.title);
});

test('a transaction sees its own changes and commits in flight', async () => {
  const { state, held } = await open();
  held.holding = true;
  const first = state.update({ set: { title: 'in flight' } });
  const second = state.transaction(async (transaction) => {
    transaction.update({ add: { tags: { a: '1' } } });
    const [event] = await transaction.append(userMessage('own'));
    return [transaction.state.title, transaction.state.tags, transaction.state.leafEventId === event?.id];
  });
  await untilHeld(held, 2);
  held.letThrough();
  expect(await second).toEqual(['in flight', { a: '1' }, true]);
  await first;
});

test('a transaction that has ended refuses changes', async () => {
  const { state } = await open();
  let kept: Parameters<Parameters<ConversationState['transaction']>[0]>[0] | undefined;
  await state.transaction((transaction) => void (kept = transaction));
  expect(() => kept?.update({ set: { title: 'late' } })).toThrow('[CLOSED]');
  await expect(kept?.append(userMessage('late'))).rejects.toThrow('[CLOSED]');
});

test('HEAD is moved by moveHead alone', async () => {
  const { state } = await open();
  await say(state, 'a');
  await expect(state.update({ set: { leafEventId: 'elsewhere' } })).rejects.toThrow(TypeError);
  await expect(state.update({ unset: ['leafEventId'] })).rejects.toThrow(TypeError);
});

test('nothing is appended after HEAD was moved in the same commit, where it would not follow HEAD', async () => {
  const { state } = await open();
  await say(state, 'a');
  const late = state.transaction(async (transaction) => {
    await transaction.moveHead(null);
    await transaction.append(userMessage('b'));
  });
  await expect(late).rejects.toThrow(TypeError);
  expect(state.events.length).toBe(1);
});

test('an event that exists, is too large, has no parent or does not fit its kind leaves no trace', async () => {
  const { state } = await open();
  const [event] = await state.append([userMessage('a')]);
  const codes: unknown[] = [];
  for (const draft of [
    { ...userMessage('b'), id: event?.id ?? '' },
    userMessage('x'.repeat(1024 * 1024)),
    { ...userMessage('b'), parent_id: 'nobody' },
    { ...userMessage('b'), source: 'nobody' as never },
  ]) {
    codes.push(await state.append([userMessage('with it'), draft]).catch((error: { code: unknown }) => error.code));
  }
  expect(codes).toEqual(['DUPLICATE_EVENT', 'EVENT_TOO_LARGE', 'UNKNOWN_EVENT', 'INVALID_EVENT']);
  expect(state.end).toEqual({ seq: 2, event: 1 });
});

test('close from inside a transaction rejects DEADLOCK and can be tried again', async () => {
  const { state } = await open();
  const rejection = await state.transaction(() => state.close().catch((error: unknown) => error));
  expect(isConversationError(rejection, 'DEADLOCK')).toBe(true);
  await say(state, 'still open');
  await state.close();
  await expect(say(state, 'late')).rejects.toThrow('[CLOSED]');
});

test('closing waits for commits in flight', async () => {
  const { state, held } = await open();
  held.holding = true;
  const sending = say(state, 'a');
  await untilHeld(held, 1);
  const closing = state.close();
  held.letThrough();
  await Promise.all([sending, closing]);
  expect(state.events.length).toBe(1);
});

test('P1: work that changes nothing resolves when the state that it read is durable', async () => {
  const { state, held } = await open();
  held.holding = true;
  const said = say(state, 'one');
  await untilHeld(held, 1);
  let read = false;
  const reading = state.transaction(({ state: { leafEventId } }) => leafEventId).then((leaf) => ((read = true), leaf));
  await new Promise((resolve) => setImmediate(resolve));
  expect(read).toBe(false);
  held.letThrough();
  expect(await reading).toBe(state.leafEventId);
  await said;
});

test('P1: work that changes nothing is rejected when the state that it read is discarded', async () => {
  const { state, held } = await open();
  held.holding = true;
  const said = say(state, 'one');
  await untilHeld(held, 1);
  const reading = state.transaction(() => 'read');
  const ends = Promise.allSettled([said, reading]);
  await new Promise((resolve) => setImmediate(resolve));
  held.refuse('UNAVAILABLE');
  const failure = { status: 'rejected', reason: { code: 'STORE_FAILED' } };
  expect(await ends).toMatchObject([failure, failure]);
  expect(await state.transaction(() => 'read')).toBe('read');
});
