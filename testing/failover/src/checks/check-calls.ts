import { isEvent, type Event } from '@conv/core/events';
import type { Findings } from '@conv/testing-harness';

import type { Counter } from '../counters.ts';
import { markIn, type Execution } from '../model/witness.ts';
import { callsOf, commandOf, type LoggedCall } from './calls-of.ts';

/** Compares all logs with what commands wrote down: what was asked for ran once at most, and its result says what became of it. */
export function checkCalls(
  logs: readonly (readonly Event[])[],
  witness: ReadonlyMap<string, Execution>,
  findings: Findings<Counter>,
): void {
  const asked = new Set<string>();
  for (const call of logs.flatMap((log) => [...callsOf(log).values()])) {
    const mark = markIn(commandOf(call.action) ?? '');
    if (mark === undefined) continue;
    asked.add(mark);
    checkResults(call, mark, witness.get(mark), findings);
  }
  for (const [mark, { startedBy }] of witness) {
    if (startedBy.length > 1) findings.add('executedTwice', `command ${mark} was begun by ${startedBy.join(', ')}`);
    if (!asked.has(mark)) findings.add('contradicted', `command ${mark} was executed and no log has it`);
  }
}

function checkResults(
  { action, results }: LoggedCall,
  mark: string,
  execution: Execution | undefined,
  findings: Findings<Counter>,
): void {
  const what = `call ${action.tool_call_id} (command ${mark})`;
  if (results.length === 0) findings.add('missing', `${what} has no result`);
  if (results.length > 1) findings.add('duplicated', `${what} has ${results.length} results`);
  for (const result of results) {
    if (saysItNeverBegan(result) && execution) findings.add('contradicted', `${what} was begun, its result denies it`);
    if (saysItEnded(result) && !execution?.ended) findings.add('contradicted', `${what} has a result and did not end`);
  }
}

function saysItNeverBegan(result: Event): boolean {
  if (isEvent(result, 'UserRejectObservation')) return true;
  return isEvent(result, 'AgentErrorEvent') && result.error.includes('before it started');
}

function saysItEnded(result: Event): boolean {
  if (!isEvent(result, 'ObservationEvent')) return false;
  return 'exit_code' in result.observation && result.observation.exit_code === 0;
}
