import { readFileSync } from 'node:fs';

import { StoreError } from '@conv/core/store';
import { readTransitionTable } from '@conv/testing-harness';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { LEASE_TTL } from '../../src/ownership/lease.ts';
import { transition, type OwnershipEvent, type OwnershipState } from '../../src/ownership/ownership-state.ts';

const RENEWED = 1_000;

const STATES: Readonly<Record<string, OwnershipState>> = {
  held: { kind: 'held', leaseRenewed: RENEWED },
  lost: { kind: 'lost' },
  released: { kind: 'released' },
  ended: { kind: 'ended' },
};

/** The events by the names of their rows: a renewal has two rows. */
const EVENTS: Readonly<Record<string, OwnershipEvent>> = {
  beat: { kind: 'beat' },
  renewed: { kind: 'renewed', at: RENEWED + LEASE_TTL / 3 - 1 },
  'lease due': { kind: 'renewed', at: RENEWED + LEASE_TTL / 3 },
  lose: { kind: 'lose', reason: new StoreError('FENCED', 'taken over') },
  release: { kind: 'release', last: { viewedEvents: 7 } },
  superseded: { kind: 'superseded' },
  free: { kind: 'free' },
  freed: { kind: 'freed' },
};

const stateCalled = (name: string): OwnershipState => STATES[name] ?? expect.fail(`no state ${name}`);
const eventCalled = (name: string): OwnershipEvent => EVENTS[name] ?? expect.fail(`no event ${name}`);

const SOURCE = new URL('../../src/ownership/ownership-state.ts', import.meta.url);
const TABLE = readTransitionTable(readFileSync(SOURCE, 'utf8'));
const [ILLEGAL, LEGAL] = [
  TABLE.filter(({ next }) => next === undefined),
  TABLE.filter(({ next }) => next !== undefined),
];

test('the table of the ownership has a cell for every state and every event', () => {
  const pairs = Object.keys(EVENTS).flatMap((event) => Object.keys(STATES).map((state) => `${state} ${event}`));
  expect(TABLE.map(({ state, event }) => `${state} ${event}`)).toEqual(pairs);
});

test.for(LEGAL)(
  'P2: an ownership that is $state moves on $event as its table says',
  ({ state, event, next, effects }) => {
    const move = transition(stateCalled(state), eventCalled(event));
    expect(move.state.kind).toBe(next);
    expect(move.effects.map(({ kind }) => kind)).toEqual(effects);
  },
);

test.for(ILLEGAL)('an ownership that is $state throws on $event', ({ state, event }) => {
  const move = (): unknown => transition(stateCalled(state), eventCalled(event));
  expect(move).toThrow(`an ownership that is ${state} cannot handle ${event}`);
});

test('the lease is renewed a third of its time after it was renewed last', () => {
  const third = LEASE_TTL / 3;
  const renewed = transition(stateCalled('held'), { kind: 'renewed', at: RENEWED + third }).state;
  expect(renewed).toEqual({ kind: 'held', leaseRenewed: RENEWED + third });
  expect(transition(renewed, { kind: 'renewed', at: RENEWED + 2 * third - 1 }).effects).toEqual([]);
  expect(transition(renewed, { kind: 'renewed', at: RENEWED + 2 * third }).effects).toEqual([{ kind: 'renewLease' }]);
});

test('P2: files are closed once through any events, and no lease is removed after a loss or a successor', () => {
  const events = fc.array(fc.constantFrom(...Object.values(EVENTS)), { maxLength: 40 });
  fc.assert(
    fc.property(events, (sequence) => {
      let state = stateCalled('held');
      let [lost, closed, said] = [false, 0, 0];
      for (const event of sequence) {
        if (ILLEGAL.some((cell) => cell.state === state.kind && eventCalled(cell.event) === event)) continue;
        const before = state.kind;
        const move = transition(state, event);
        const effects = new Set<string>(move.effects.map(({ kind }) => kind));
        lost ||= event.kind === 'superseded' || (event.kind === 'lose' && before === 'held');
        closed += effects.has('close') ? 1 : 0;
        said += effects.has('sayLast') ? 1 : 0;
        expect(lost && (effects.has('removeLease') || effects.has('renewLease') || effects.has('heartbeat'))).toBe(
          false,
        );
        expect(before !== 'held' && (effects.has('heartbeat') || effects.has('renewLease'))).toBe(false);
        expect(closed).toBe(move.state.kind === 'released' || move.state.kind === 'ended' ? 1 : 0);
        expect(said).toBeLessThanOrEqual(closed);
        ({ state } = move);
      }
    }),
  );
});
