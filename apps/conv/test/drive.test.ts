import type { Conversation, PendingAction } from '@conv/core';
import { expect, test } from 'vitest';

import { drive } from '../src/conversation/drive.ts';
import { exitCodes } from '../src/exit-code.ts';

/** A call that waits for a person. */
function waiting(id: string): PendingAction {
  return { id, tool_name: 'terminal', action: { command: `echo ${id}` }, reasons: [] } as unknown as PendingAction;
}

test.each([false, true])(
  'P10: --approve approves the calls that it shows, and leaves later calls (joint decisions: %s)',
  async (wholeDecisions) => {
    const approved: (readonly string[] | undefined)[] = [];
    const state = { executionStatus: 'waiting_for_confirmation', pendingActions: [waiting('shown')], calls: {} };
    const conversation = {
      id: 'one',
      features: { wholeDecisions },
      state,
      approve: async (ids?: readonly string[]) => void approved.push(ids),
    } as unknown as Conversation;
    const code = await drive(conversation, {
      pending: 'approve',
      invocation: 'conv',
      run: async () => {
        state.pendingActions = [waiting('came-meanwhile')];
        return { status: 'waiting_for_confirmation', iterations: 1 };
      },
    });
    expect(approved).toEqual([['shown']]);
    expect(code).toBe(exitCodes.waiting);
  },
);
