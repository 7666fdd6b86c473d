import { drafts } from '@conv/core/events';
import { STUCK_CODE } from '@conv/core';
import { describe, expect, test } from 'vitest';
import { createStuckDetector, DEFAULT_THRESHOLDS } from '../src/index.ts';
import { errorAround, History, times } from './history.ts';

/** For each pattern, the number of rounds that it takes, and a function that adds a round. */
const patterns: Readonly<
  Record<
    string,
    { readonly needed: number; readonly round: number; readonly again: (on: History<unknown>, index: number) => void }
  >
> = {
  repeat: { needed: 4, round: 1, again: (on) => on.call('cat a') },
  error: { needed: 3, round: 1, again: (on) => on.call('cat a', errorAround('no such file')) },
  monologue: { needed: 3, round: 1, again: (on) => on.say() },
  alternating: { needed: 6, round: 2, again: (on, index) => on.call(index % 2 === 0 ? 'cat a' : 'cat b') },
  cycle: { needed: 9, round: 3, again: (on, index) => on.call(`cat ${index % 3}`) },
  'context-window': { needed: 3, round: 1, again: (on) => on.condense() },
};

describe.each(Object.entries(patterns))('%s', (name, { needed, round, again }) => {
  function upTo(count: number): History<unknown> {
    const history = new History(createStuckDetector());
    history.ask();
    times(count, (index) => again(history, index));
    return history;
  }

  test('a count below the threshold is nothing', () => {
    expect(upTo(needed - 1).verdict).toBe(undefined);
  });

  test('a count at the threshold is a warning', () => {
    expect(upTo(needed).verdict).toBe(`warn ${name}`);
  });

  test('a warning is reported until it is given, and not again before the next step', () => {
    const history = upTo(needed);
    expect(history.verdict).toBe(`warn ${name}`);
    history.warn();
    expect(history.verdict).toBe(undefined);
    history.add(drafts.hookExecution({ hook_event_type: 'Stop', hook_command: 'true', success: true, exit_code: 0 }));
    expect(history.verdict).toBe(undefined);
  });

  test('a warned model is stopped after once more round, not before', () => {
    const history = upTo(needed);
    history.warn();
    for (let index = 0; index < round; index += 1) {
      expect(history.verdict).toBe(undefined);
      again(history, needed + index);
    }
    expect(history.verdict).toBe(`stop ${name}`);
  });

  test('a message of the user starts over', () => {
    const history = upTo(needed);
    history.warn();
    history.ask();
    times(needed - 1, (index) => again(history, index));
    expect(history.verdict).toBe(undefined);
    again(history, needed - 1);
    expect(history.verdict).toBe(`warn ${name}`);
  });

  test('the error that a stop ends with starts over', () => {
    const history = upTo(needed);
    history.warn();
    times(round, (index) => again(history, needed + index));
    history.add(
      drafts.conversationError(STUCK_CODE, history.finding?.message ?? '', { kind: 'unknown', retryable: false }),
    );
    expect(history.verdict).toBe(undefined);
    times(needed, (index) => again(history, index));
    expect(history.verdict).toBe(`warn ${name}`);
  });

  test('an error of the conversation for another reason does not start over', () => {
    const history = upTo(needed - 1);
    history.add(drafts.conversationError('RateLimit', 'later', { kind: 'unknown', retryable: false }));
    again(history, needed - 1);
    expect(history.verdict).toBe(`warn ${name}`);
  });
});

test('the thresholds are the documented ones', () => {
  expect(DEFAULT_THRESHOLDS).toEqual({
    actionObservation: 4,
    actionError: 3,
    monologue: 3,
    alternatingPattern: 6,
    cycle: 3,
    contextWindow: 3,
  });
});
