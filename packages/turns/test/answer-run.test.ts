import type { Conversation, RunOptions } from '@conv/core';
import { expect, test } from 'vitest';

import { answerRun, type Taken } from '../src/index.ts';

/** Resolves with the options of the run that answers a request to a conversation with these features. */
async function optionsOf(features: object, taken: Taken, answers?: string): Promise<RunOptions | undefined> {
  let given: RunOptions | undefined;
  const conversation = {
    id: 'one',
    features,
    state: { executionStatus: 'idle', pendingActions: [], calls: {}, queue: [] },
    events: { length: 1, slice: () => [] },
    subscribe: () => {},
    run: async (options: RunOptions) => void (given = options),
  };
  await answerRun(conversation as unknown as Conversation, taken, { answers });
  return given;
}

test.each(['message', 'decided', 'approved'] as const)(
  'P10: the run that answers "%s" approves nothing that comes to wait before it begins',
  async (taken) => {
    expect(await optionsOf({}, taken)).toEqual({ approves: false });
  },
);

test('the run of a message that is the newest event answers it alone', async () => {
  expect(await optionsOf({}, 'message', 'the message')).toEqual({ approves: false, answers: 'the message' });
});

test('the run after an approval approves on a server that takes joint decisions alone', async () => {
  expect(await optionsOf({ wholeDecisions: true }, 'approved')).toEqual({ approves: true });
  expect(await optionsOf({ wholeDecisions: true }, 'message')).toEqual({ approves: false });
});
