import type { Conversation } from '@conv/core';
import { expect, test } from 'vitest';

import { Approvals } from '../../src/chat/session/approvals.ts';

interface Bench {
  readonly approvals: Approvals;
  readonly approved: string[];
  readonly notes: string[];
}

/** The questions of a chat about calls that wait for a person. */
function waiting(...ids: readonly string[]): Bench {
  const [approved, notes]: [string[], string[]] = [[], []];
  const pendingActions = ids.map((id) => ({
    id,
    tool_name: 'terminal',
    tool_call: { arguments: '{}' },
    action: { kind: 'TerminalAction', command: id },
    reasons: [],
  }));
  const conversation = {
    features: {},
    state: { executionStatus: 'waiting_for_confirmation', tags: {}, calls: {}, pendingActions },
    approve: async (chosen: readonly string[]) => void approved.push(...chosen),
  } as unknown as Conversation;
  const approvals = new Approvals({
    conversation,
    form: () => ({ columns: 80, color: false }),
    say: () => {},
    note: (line) => void notes.push(line),
    goOn: () => {},
  });
  return { approvals, approved, notes };
}

test('P10: two answers that were typed while one call was shown decide on that call alone', async () => {
  const { approvals, approved, notes } = waiting('one', 'two');
  await approvals.update();
  const seen = approvals.asked;
  await Promise.all([approvals.answer('y', seen), approvals.answer('y', seen)]);
  expect(approved).toEqual(['one']);
  expect(notes).toEqual([expect.stringContaining('the call that you answered for waits no longer')]);
  expect(approvals.asked).toEqual(['two']);
  await approvals.answer('y', approvals.asked);
  expect(approved).toEqual(['one', 'two']);
});

test('P10: a line that was typed before any call was shown decides on none', async () => {
  const { approvals, approved, notes } = waiting('one');
  await approvals.update();
  await approvals.answer('yes', []);
  expect([approved, notes.length]).toEqual([[], 1]);
});
