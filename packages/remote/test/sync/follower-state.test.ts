import { readFileSync } from 'node:fs';

import { ConversationError } from '@conv/core';
import { readTransitionTable } from '@conv/testing-harness';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { FollowerEvent, FollowerState } from '../../src/sync/follower-state.ts';
import { transition } from '../../src/sync/follower-transitions.ts';

const LIMITS = { conversationId: 'c', shorterTimeout: 100 };
const CHANGED = new ConversationError('LOG_CHANGED', 'another log');
const REFUSED = new ConversationError('DENIED', 'no further socket');
const SINCE = 1_000;

const data = { shorterSince: SINCE, refused: undefined };
const STATES: Readonly<Record<string, FollowerState>> = {
  idle: { kind: 'idle' },
  following: { kind: 'following', ...data },
  unsure: { kind: 'unsure', ...data },
  comparing: { kind: 'comparing', ...data },
  changed: { kind: 'changed', error: CHANGED },
  closed: { kind: 'closed' },
};

/** The events by the names of their rows: two kinds of events have two rows. */
const EVENTS: Readonly<Record<string, FollowerEvent>> = {
  start: { kind: 'start' },
  lost: { kind: 'lost', blind: false },
  'cut off': { kind: 'lost', blind: true },
  refused: { kind: 'refused', error: REFUSED },
  hint: { kind: 'hint' },
  missed: { kind: 'missed', delay: 7 },
  pull: { kind: 'pull' },
  pulled: { kind: 'pulled' },
  failed: { kind: 'failed' },
  shorter: { kind: 'shorter', at: SINCE + LIMITS.shorterTimeout - 1 },
  'too short': { kind: 'shorter', at: SINCE + LIMITS.shorterTimeout },
  changed: { kind: 'changed', error: CHANGED },
  repeated: { kind: 'repeated' },
  proved: { kind: 'proved' },
  doubted: { kind: 'doubted' },
  close: { kind: 'close' },
};

const stateCalled = (name: string): FollowerState => STATES[name] ?? expect.fail(`no state ${name}`);
const eventCalled = (name: string): FollowerEvent => EVENTS[name] ?? expect.fail(`no event ${name}`);

const isFinal = ({ kind }: FollowerState): boolean => kind === 'changed' || kind === 'closed';

const TABLE = readTransitionTable(readFileSync(new URL('../../src/sync/follower-state.ts', import.meta.url), 'utf8'));

test('the table of the follower has a cell for every state and every event', () => {
  const pairs = Object.keys(EVENTS).flatMap((event) => Object.keys(STATES).map((state) => `${state} ${event}`));
  expect(TABLE.map(({ state, event }) => `${state} ${event}`)).toEqual(pairs);
});

const [ILLEGAL, LEGAL] = [
  TABLE.filter(({ next }) => next === undefined),
  TABLE.filter(({ next }) => next !== undefined),
];

test.for(LEGAL)(
  'P11: a follower that is $state moves on $event as its table says',
  ({ state, event, next, effects }) => {
    const move = transition(stateCalled(state), eventCalled(event), LIMITS);
    expect(move.state.kind).toBe(next);
    expect(move.effects.map(({ kind }) => kind)).toEqual(effects);
  },
);

test.for(ILLEGAL)('a follower that is $state throws on $event', ({ state, event }) => {
  const move = (): unknown => transition(stateCalled(state), eventCalled(event), LIMITS);
  expect(move).toThrow(`a follower that is ${state} cannot handle ${eventCalled(event).kind}`);
});

test('P11: a log is a different log once it was shorter for shorterTimeout without a complete look between', () => {
  const at = (time: number): FollowerEvent => ({ kind: 'shorter', at: time });
  const after = (...events: FollowerEvent[]): FollowerState =>
    events.reduce((state, event) => transition(state, event, LIMITS).state, stateCalled('idle'));
  const start: FollowerEvent = { kind: 'start' };
  expect(after(start, at(0), at(99))).toMatchObject({ kind: 'following', shorterSince: 0 });
  expect(after(start, at(0), { kind: 'pulled' }, at(150))).toMatchObject({ kind: 'following', shorterSince: 150 });
  expect(after(start, at(0), { kind: 'lost', blind: false }, { kind: 'pull' }, at(100))).toMatchObject({
    kind: 'changed',
    error: { code: 'LOG_CHANGED', conversationId: 'c' },
  });
});

test('a follower keeps the refusal of the server and the time of a shorter log until they are over', () => {
  const refused = transition(stateCalled('following'), eventCalled('refused'), LIMITS).state;
  for (const name of ['lost', 'hint', 'missed', 'failed', 'shorter', 'doubted'])
    expect(transition(refused, eventCalled(name), LIMITS).state).toMatchObject({
      refused: REFUSED,
      shorterSince: SINCE,
    });
  expect(transition(refused, { kind: 'pulled' }, LIMITS).state).toMatchObject({
    refused: REFUSED,
    shorterSince: undefined,
  });
});

test('P11: no event is trusted after a lost connection until a later pull has compared the logs', () => {
  const events = fc.array(fc.constantFrom(...Object.values(EVENTS)), { maxLength: 40 });
  fc.assert(
    fc.property(events, (sequence) => {
      let state = transition(stateCalled('idle'), { kind: 'start' }, LIMITS).state;
      let [lost, comparing, released] = [false, false, 0];
      for (const event of sequence) {
        if (ILLEGAL.some((cell) => cell.state === state.kind && eventCalled(cell.event) === event)) continue;
        const final = isFinal(state);
        const { effects, state: next } = transition(state, event, LIMITS);
        if (event.kind === 'lost') [lost, comparing] = [true, false];
        if (event.kind === 'pull') comparing = lost;
        if (event.kind === 'proved' && !comparing) lost = false;
        if (event.kind === 'pulled' && comparing) lost = false;
        if (event.kind === 'failed' || event.kind === 'shorter') comparing = false;
        const working = lost ? (comparing ? 'comparing' : 'unsure') : 'following';
        expect(final ? [state.kind] : [working, 'changed', 'closed']).toContain(next.kind);
        released += effects.filter(({ kind }) => kind === 'release').length;
        expect(released).toBe(isFinal(next) ? 1 : 0);
        state = next;
      }
    }),
  );
});
