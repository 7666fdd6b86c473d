import { eventGuards, isEvent, type ActionEvent, type Event } from '@conv/core/events';
import type { LogImage } from '@conv/testing-harness';

import { lifeOf } from '../call-id.ts';
import { strictnessOf } from '../strictness.ts';
import type { Execution } from '../witness.ts';
import type { Findings } from './findings.ts';
import type { Ledger } from './ledger.ts';

/** A call as the log has it. */
interface LoggedCall {
  readonly action: ActionEvent;
  /** The strictness of the policy that it was asked for under. */
  readonly strictness: number;
  readonly results: Event[];
}

/** Checks that log and witness agree on the executed calls, and that these were permitted (P5, P10). For a settled log. */
export function checkCalls(
  image: LogImage,
  witness: ReadonlyMap<string, Execution>,
  ledger: Ledger,
  findings: Findings,
): void {
  const calls = callsOf(image);
  for (const [id, execution] of witness) {
    const call = calls.get(id);
    if (call) checkExecuted(call, execution, ledger, findings);
    else findings.add('orphanedCalls', `call ${id}`, 'was executed and is not in the log');
  }
  for (const [id, { results }] of calls) {
    if (results.length > 1) findings.add('duplicated', `call ${id}`, `has ${results.length} results`);
    const observed = results.some((event) => isEvent(event, 'ObservationEvent'));
    if (observed && witness.get(id)?.ended !== true)
      findings.add('orphanedCalls', `call ${id}`, 'has a result and was not executed to its end');
  }
  const { fields, branch } = image.projection;
  for (const [id, phase] of Object.entries(fields.calls)) {
    if (phase === 'started') findings.add('orphanedCalls', `action ${id}`, 'is said to run while nothing does');
  }
  for (const { event } of branch.open.values()) {
    if (!event.action) findings.add('orphanedCalls', `action ${event.id}`, 'cannot run and has no result');
  }
}

function checkExecuted(
  { action, strictness, results }: LoggedCall,
  execution: Execution,
  ledger: Ledger,
  findings: Findings,
): void {
  const subject = `call ${action.tool_call_id}`;
  if (execution.startedBy.length > 1)
    findings.add('duplicated', subject, `was executed ${execution.startedBy.length} times`);
  if (results.length === 0) findings.add('orphanedCalls', subject, 'was executed and has no result');
  if (results.some(deniesExecution)) findings.add('orphanedCalls', subject, 'was executed and its result denies it');
  for (const life of execution.startedBy) {
    if (ledger.approving.has(action.id) || ledger.lifeOf(life).running.has(action.id)) continue;
    if (strictness > 0)
      findings.add('weakenedSettings', subject, 'was executed although the policy wanted an approval');
    else if (lifeOf(action.tool_call_id) !== life)
      findings.add('weakenedSettings', subject, `was left by another process and executed unasked by life ${life}`);
  }
}

function callsOf({ commits }: LogImage): ReadonlyMap<string, LoggedCall> {
  const calls = new Map<string, LoggedCall>();
  for (const { commit, before } of commits) {
    for (const event of commit.events) {
      if (isEvent(event, 'ActionEvent')) {
        const strictness = strictnessOf(before.confirmationPolicy);
        calls.set(event.tool_call_id, { action: event, strictness, results: [] });
      } else if (eventGuards.isObservationLike(event)) calls.get(event.tool_call_id)?.results.push(event);
    }
  }
  return calls;
}

function deniesExecution(result: Event): boolean {
  if (isEvent(result, 'UserRejectObservation')) return true;
  return isEvent(result, 'AgentErrorEvent') && result.error.includes('had no effect');
}
