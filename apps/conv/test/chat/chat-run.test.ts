import type { Conversation, RunOptions, RunResult } from '@conv/core';
import { expect, test } from 'vitest';

import { ChatRun } from '../../src/chat/session/chat-run.ts';

/** A chat whose runs finish at once, and the options that they were begun with. */
function chatOn(features: object): { readonly run: ChatRun; readonly begun: RunOptions[] } {
  const begun: RunOptions[] = [];
  const run = new ChatRun({
    conversation: { features, state: { executionStatus: 'idle' } } as unknown as Conversation,
    run: async (options): Promise<RunResult> => {
      begun.push(options);
      return { status: 'finished', iterations: 1 };
    },
    note: () => {},
    onFailure: () => {},
    onChange: () => {},
  });
  return { run, begun };
}

test('P10: a run of a chat approves nothing, except after a decision on a server with joint decisions', async () => {
  const [one, other] = [chatOn({}), chatOn({ wholeDecisions: true })];
  for (const { run } of [one, other]) {
    run.go();
    await run.settled();
    run.goOn();
    await run.settled();
  }
  expect(one.begun).toEqual([{ approves: false }, { approves: false }]);
  expect(other.begun).toEqual([{ approves: false }, { approves: true }]);
});

test('P10: a message during a run that ends with a question does not take the place of the decision', async () => {
  const begun: RunOptions[] = [];
  const first = Promise.withResolvers<RunResult>();
  const run = new ChatRun({
    conversation: {
      features: { wholeDecisions: true },
      state: { executionStatus: 'running' },
    } as unknown as Conversation,
    run: async (options): Promise<RunResult> => {
      begun.push(options);
      return begun.length === 1 ? first.promise : { status: 'finished', iterations: 1 };
    },
    note: () => {},
    onFailure: () => {},
    onChange: () => {},
  });
  run.go();
  run.go();
  first.resolve({ status: 'waiting_for_confirmation', iterations: 1 });
  await run.settled();
  run.goOn();
  await run.settled();
  expect(begun).toEqual([{ approves: false }, { approves: true }]);
});
