import { readFileSync } from 'node:fs';

import type { Timer } from '@conv/core/platform';
import { readTransitionTable } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { nextState, type ReceiverEvent, type ReceiverState } from '../../src/webhooks/receiver-state.ts';

/** A wait that notes what happens to it. */
function newTimer(done: string[]): Timer {
  const cancel = (): void => void done.push('cancel');
  return { cancel, [Symbol.dispose]: cancel };
}

type States = { readonly [Kind in ReceiverState['kind']]: ReceiverState };

const statesWith = (failingSince: number, timer: Timer): States => ({
  sending: { kind: 'sending', failingSince },
  probing: { kind: 'probing', failingSince },
  paused: { kind: 'paused', failingSince, timer },
  waiting: { kind: 'waiting', failingSince, timer },
  closed: { kind: 'closed' },
});

const eventsAt = (at: number, begin: () => Timer): { readonly [Kind in ReceiverEvent['kind']]: ReceiverEvent } => ({
  took: { kind: 'took' },
  refused: { kind: 'refused', at },
  away: { kind: 'away', at, begin },
  unasked: { kind: 'unasked', begin },
  waited: { kind: 'waited' },
  close: { kind: 'close' },
});

/** Plays one pair. Returns the next state and what happened to waits. */
function play(state: string, event: string): { readonly next: ReceiverState; readonly done: readonly string[] } {
  const done: string[] = [];
  const begin = (): Timer => {
    done.push('wait');
    return newTimer(done);
  };
  const from = statesWith(5, newTimer(done))[state as ReceiverState['kind']];
  const input = eventsAt(9, begin)[event as ReceiverEvent['kind']];
  return { next: nextState(from, input), done };
}

const SOURCE = new URL('../../src/webhooks/receiver-state.ts', import.meta.url);
const TABLE = readTransitionTable(readFileSync(SOURCE, 'utf8'));
const TIMER = newTimer([]);

test('the table of a receiver has a cell for every state and every event', () => {
  const states = Object.keys(statesWith(5, TIMER));
  const pairs = Object.keys(eventsAt(9, () => TIMER)).flatMap((event) => states.map((state) => `${state} ${event}`));
  expect(TABLE.map(({ state, event }) => `${state} ${event}`)).toEqual(pairs);
});

test.for(TABLE.filter(({ next }) => next !== undefined))(
  'a receiver that is $state moves on $event as its table says',
  ({ state, event, next, effects }) => {
    const played = play(state, event);
    expect(played.next.kind).toBe(next);
    expect(played.done).toEqual(effects);
  },
);

test.for(TABLE.filter(({ next }) => next === undefined))(
  'a receiver that is $state throws on $event',
  ({ state, event }) => {
    expect(() => play(state, event)).toThrow(`a receiver that is ${state} cannot handle ${event}`);
  },
);

test('a receiver fails since the first failure after its last success', () => {
  const { took, refused, away } = eventsAt(9, () => TIMER);
  const sending = nextState(statesWith(5, TIMER).paused, took);
  expect(sending).toMatchObject({ failingSince: undefined });
  for (const failure of [refused, away]) {
    const failing = nextState({ kind: 'sending', failingSince: undefined }, failure);
    expect(failing).toMatchObject({ failingSince: 9 });
    expect(nextState(failing, { ...refused, at: 20 } as ReceiverEvent)).toMatchObject({ failingSince: 9 });
  }
});

test('a wait that has begun stays the same wait, whatever deliveries that were on say', () => {
  const { took, refused, away, unasked } = eventsAt(9, () => newTimer([]));
  for (const state of [statesWith(5, TIMER).paused, statesWith(5, TIMER).waiting])
    for (const event of [took, refused, away, unasked]) expect(nextState(state, event)).toMatchObject({ timer: TIMER });
});
