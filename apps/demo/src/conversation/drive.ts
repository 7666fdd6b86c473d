import process from 'node:process';

import type { Conversation, RunResult } from '@conv/core';

import { type ExitCode, exitCodes } from '../exit-code.ts';
import { invocation, note } from '../terminal/output.ts';
import { askApproval, describeAction } from './ask-approval.ts';
import { CtrlC } from './ctrl-c.ts';

/** What a person decided before, so that nobody has to be asked. */
export interface Decision {
  readonly pending: 'approve' | 'reject';
}

/**
 * Lets the agent work until it is done, stopped, or needs an approval that nobody here can give. Resolves with the exit code
 * that says which. Rejects as `Conversation.run` does.
 */
export async function drive(conversation: Conversation, decision?: Decision): Promise<ExitCode> {
  using ctrlC = new CtrlC(conversation);
  let decided = decision?.pending;
  for (;;) {
    if (conversation.state.executionStatus === 'waiting_for_confirmation') {
      const answer = decided ?? (await decide(conversation));
      decided = undefined;
      if (answer === 'later') return leaveWaiting(conversation);
      if (answer === 'reject') await conversation.reject(undefined, 'The user said no.');
      else await conversation.approve();
    }
    const result = await conversation.run();
    if (ctrlC.pressed && result.status !== 'finished') return stopped(conversation);
    if (result.status !== 'waiting_for_confirmation') return finished(conversation, result);
  }
}

async function decide(conversation: Conversation): Promise<'approve' | 'reject' | 'later'> {
  const actions = conversation.state.pendingActions;
  if (process.stdin.isTTY === true && process.stderr.isTTY === true) return askApproval(actions);
  for (const action of actions) note(`waits for approval: ${action.tool_name} ${describeAction(action)}`);
  return 'later';
}

function leaveWaiting({ id }: Conversation): ExitCode {
  note(`left waiting; decide with: ${invocation(`resume ${id} --approve`)} (or --reject)`);
  return exitCodes.waiting;
}

function stopped({ id }: Conversation): ExitCode {
  note(`stopped; go on with: ${invocation(`resume ${id}`)}`);
  return exitCodes.interrupted;
}

function finished({ id }: Conversation, { status }: RunResult): ExitCode {
  note(`${status}; say more with: ${invocation(`resume ${id} "…"`)}, look back with: ${invocation(`show ${id}`)}`);
  return status === 'finished' || status === 'idle' ? exitCodes.done : exitCodes.failed;
}
