import process from 'node:process';

import type { Conversation, RiskAssessment, RunResult } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';

import { type ExitCode, exitCodes } from '../exit-code.ts';
import { invocation, note } from '../terminal/output.ts';
import { askApproval, describeAction, NO_REASON } from './ask-approval.ts';
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
      const left = decided ? await decideAll(conversation, decided) : await decideEach(conversation);
      decided = undefined;
      if (left) return leaveWaiting(conversation);
    }
    const result = await conversation.run();
    if (ctrlC.pressed && result.status !== 'finished') return stopped(conversation);
    if (result.status !== 'waiting_for_confirmation') return finished(conversation, result);
  }
}

async function decideAll(conversation: Conversation, answer: Decision['pending']): Promise<false> {
  if (answer === 'reject') await conversation.reject(undefined, NO_REASON);
  else await conversation.approve();
  return false;
}

/** Asks for each action that waits. True when one is left for later: what was decided before it is kept. */
async function decideEach(conversation: Conversation): Promise<boolean> {
  const { pendingActions, assessments, calls } = conversation.state;
  const undecided = pendingActions.filter(({ id }) => calls[id] === undefined);
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    for (const action of undecided) noteWaiting(action, assessments[action.id]);
    return undecided.length > 0;
  }
  for (const action of undecided) {
    const answer = await askApproval(action, assessments[action.id]);
    if (answer === 'later') return true;
    if (answer === 'approve') await conversation.approve([action.id]);
    else await conversation.reject([action.id], answer.reject);
  }
  return false;
}

function noteWaiting(action: ActionEvent, assessment: RiskAssessment | undefined): void {
  const risk = assessment ? ` (risk ${[assessment.risk, ...assessment.reasons].join(': ')})` : '';
  note(`waits for approval: ${action.tool_name} ${describeAction(action)}${risk}`);
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
