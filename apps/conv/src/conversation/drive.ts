import process from 'node:process';

import type { Conversation, PendingAction, RunOptions, RunResult } from '@conv/core';
import { plainLine } from '@conv/visualize/text';

import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { ServerWatch } from '../server/server-watch.ts';
import { note } from '../terminal/output.ts';
import { askApproval, NO_REASON } from './ask-approval.ts';
import { callLines, describeAction, ONE_LINE } from './call-text.ts';
import { CtrlC } from './ctrl-c.ts';
import { afterDecision, APPROVES_NOTHING } from './run-approvals.ts';

/** Options of {@link drive}. */
export interface DriveOptions {
  /** Earlier decision of a person, so that no question is needed. */
  readonly pending?: 'approve' | 'reject' | undefined;
  /** The words that start this program. */
  readonly invocation: string;
  /** The arguments that name the conversation's place, with a space in front. Default: none, for the default place. */
  readonly place?: string;
  /** The watch over that server. */
  readonly watch?: ServerWatch;
  /**
   * Starts a run. On a server the conversation may be running already, for another client or a client that has gone. Default:
   * `Conversation.run`.
   */
  readonly run?: (options: Pick<RunOptions, 'approves'>) => Promise<RunResult>;
}

/**
 * Lets the agent work until it is done, stopped, or needs an approval that no person here can give. Resolves with the exit code
 * of that outcome. Rejects as `Conversation.run` does.
 */
export async function drive(conversation: Conversation, options: DriveOptions): Promise<ExitCode> {
  const { invocation, place = '' } = options;
  const again = (rest: string): string => `${invocation} resume ${conversation.id}${rest}${place}`;
  using ctrlC = new CtrlC(conversation, () => options.watch?.whenAway(() => leave(again)));
  let decided = options.pending;
  const run = options.run ?? ((how) => conversation.run(how));
  for (;;) {
    const isAsked = conversation.state.executionStatus === 'waiting_for_confirmation';
    if (isAsked) {
      const left = decided ? await decideAll(conversation, decided) : await decideEach(conversation);
      decided = undefined;
      if (left) return leaveWaiting(again);
    }
    const result = await run(isAsked ? afterDecision(conversation) : APPROVES_NOTHING);
    if (ctrlC.pressed && result.status !== 'finished') return stopped(again);
    if (result.status !== 'waiting_for_confirmation') return finished(conversation, result, options);
  }
}

/** Decides on each waiting action, and says so. Approves only the actions that it shows. */
async function decideAll(conversation: Conversation, answer: 'approve' | 'reject'): Promise<false> {
  const undecided = undecidedOf(conversation);
  for (const action of undecided) noteCall(answer === 'reject' ? 'rejected' : 'approved', action);
  if (answer === 'reject') await conversation.reject(undefined, NO_REASON);
  // calls that came to wait meanwhile were not shown
  else if (undecided.length > 0) await conversation.approve(undecided.map(({ id }) => id));
  return false;
}

/**
 * Asks about each waiting action, or once for all if the conversation only takes joint decisions. Resolves with true if an action
 * is left for later; earlier decisions stay.
 */
async function decideEach(conversation: Conversation): Promise<boolean> {
  const undecided = undecidedOf(conversation);
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    for (const action of undecided) noteCall('waits for approval', action);
    return undecided.length > 0;
  }
  const isWhole = conversation.features.wholeDecisions === true && undecided.length > 0;
  for (const actions of isWhole ? [undecided] : undecided.map((action) => [action])) {
    const answer = await askApproval(actions);
    if (answer === 'later') return true;
    const ids = actions.map(({ id }) => id);
    if (answer === 'approve') await conversation.approve(ids);
    else await conversation.reject(ids, answer.reject);
  }
  return false;
}

function undecidedOf({ state: { pendingActions, calls } }: Conversation): readonly PendingAction[] {
  return pendingActions.filter(({ id }) => calls[id] === undefined);
}

function noteCall(what: string, action: PendingAction): void {
  const risk = action.security_risk === undefined ? [] : [action.security_risk, ...action.reasons];
  const why = risk.length === 0 ? '' : ` (risk ${risk.join(': ')})`;
  note(`${what}: ${plainLine(action.tool_name)} ${describeAction(action)}${plainLine(why)}`);
  // of a call that does not fit into that line every line is shown
  const lines = callLines(action);
  if (lines.length > 1 || lines.join('').length > ONE_LINE) for (const line of lines) note(`  │ ${line}`);
}

function leaveWaiting(again: (rest: string) => string): ExitCode {
  note(`left waiting; decide with: ${again(' --approve')} (or --reject)`);
  return exitCodes.waiting;
}

function stopped(again: (rest: string) => string): ExitCode {
  note(`stopped; continue with: ${again('')}`);
  return exitCodes.interrupted;
}

/** Ends the program, because a server that does not answer cannot be told to interrupt the run. */
function leave(again: (rest: string) => string): never {
  note(`ended because the server does not answer; when it is back, continue with: ${again('')}`);
  process.exit(exitCodes.interrupted);
}

function finished(
  { id }: Conversation,
  { status, reason }: RunResult,
  { invocation, place = '' }: DriveOptions,
): ExitCode {
  const [more, back] = [`resume ${id} "…"`, `show ${id}`].map((args) => `${invocation} ${args}${place}`);
  const why = reason === undefined ? '' : ` (${reason.detail})`;
  note(`${status}${why}; reply with: ${more}, look back with: ${back}`);
  return status === 'finished' || status === 'idle' ? exitCodes.done : exitCodes.failed;
}
