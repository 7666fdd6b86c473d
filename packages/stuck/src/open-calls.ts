import type { ActionEvent, Event, ObservationLikeEvent } from '@conv/core/events';
import { callPrint, resultPrint, type ResultPrint } from './fingerprint.ts';
import type { CallStep } from './step.ts';

/** Calls of one response whose results are kept in order. No model makes as many; this bounds memory for broken logs. */
const MAX_OPEN = 128;

interface Answer extends ResultPrint {
  readonly event: ObservationLikeEvent;
  readonly place: number;
}

/** A call that is not a step yet, because it, or another call of the same response, has no result. */
export interface OpenCall {
  readonly event: ActionEvent;
  readonly place: number;
  readonly call: string;
  readonly allowance: number;
  readonly answer: Answer | undefined;
}

/** A step with the events it comes from. */
export interface CompleteStep {
  readonly step: CallStep;
  readonly events: readonly Event[];
}

/** The calls that are still open, and the steps that are complete now. */
export interface Settled {
  readonly open: readonly OpenCall[];
  readonly steps: readonly CompleteStep[];
}

/** Adds a call. A call of another response settles the calls before it: calls without a result by then get none. */
export function openCall(open: readonly OpenCall[], event: ActionEvent, place: number, allowance: number): Settled {
  const next = { event, place, call: callPrint(event), allowance, answer: undefined };
  const response = open[0]?.event.llm_response_id;
  if (response === undefined || (response === event.llm_response_id && open.length < MAX_OPEN))
    return { open: [...open, next], steps: [] };
  return { open: [next], steps: open.flatMap((call) => stepOf(call)) };
}

/**
 * Adds the result of a call, found by the id of the action or of the tool call. A result of no open call changes
 * nothing.
 */
export function answerCall(open: readonly OpenCall[], event: ObservationLikeEvent, place: number): Settled {
  const at = indexOfCall(open, event);
  const call = open[at];
  if (call === undefined) return { open, steps: [] };
  const answered = open.with(at, { ...call, answer: { ...resultPrint(event), event, place } });
  const isComplete = answered.every(({ answer }) => answer !== undefined);
  return isComplete ? { open: [], steps: answered.flatMap((each) => stepOf(each)) } : { open: answered, steps: [] };
}

function indexOfCall(open: readonly OpenCall[], event: ObservationLikeEvent): number {
  const unanswered = (call: OpenCall): boolean => call.answer === undefined;
  if ('action_id' in event) {
    const byAction = open.findIndex((call) => unanswered(call) && call.event.id === event.action_id);
    if (byAction !== -1) return byAction;
  }
  return open.findIndex((call) => unanswered(call) && call.event.tool_call_id === event.tool_call_id);
}

function stepOf({ event, place, call, allowance, answer }: OpenCall): readonly CompleteStep[] {
  if (answer === undefined) return [];
  const { result, exact, outcome } = answer;
  const events = [
    { id: event.id, place },
    { id: answer.event.id, place: answer.place },
  ];
  const tool = event.tool_name;
  const step: CallStep = {
    kind: 'call',
    key: `${call} ${result}`,
    call,
    result,
    exact,
    outcome,
    tool,
    allowance,
    events,
  };
  return [{ step, events: [event, answer.event] }];
}
