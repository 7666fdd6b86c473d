import { isEvent, type ActionEvent, type Event } from '@conv/core/events';

/** A call as a log has it. */
export interface LoggedCall {
  readonly action: ActionEvent;
  /** The results of the call; exactly one when all is well. */
  readonly results: Event[];
}

/** The calls of a log, by their ids. */
export function callsOf(log: readonly Event[]): ReadonlyMap<string, LoggedCall> {
  const calls = new Map<string, LoggedCall>();
  for (const event of log) {
    if (isEvent(event, 'ActionEvent')) calls.set(event.tool_call_id, { action: event, results: [] });
    else if ('tool_call_id' in event) calls.get(String(event.tool_call_id))?.results.push(event);
  }
  return calls;
}

/** The command that an event asks for. */
export function commandOf(event: Event): string | undefined {
  if (!isEvent(event, 'ActionEvent') || !event.action || !('command' in event.action)) return undefined;
  const { command } = event.action;
  return typeof command === 'string' ? command : undefined;
}
