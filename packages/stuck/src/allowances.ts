import { isAction, type ActionEvent } from '@conv/core/events';

/**
 * The number of times in a row that a call of a tool may come to the same result without being a loop: a number, or a
 * function of the call. `undefined` and 0 allow none, `Infinity` has no limit. The function is part of a pure fold, so
 * it must return the same for the same call and never throw.
 */
export type Allowance = number | ((action: ActionEvent) => number | undefined);

/** The number of polls of a running program that may return no new output. */
const UNCHANGED_POLLS = 10;

/** An empty command waits for the program that is running; `sleep 30` and `sleep 30 && …` wait by themselves. */
const WAITING = /^\s*(?:$|sleep\s+[\d.]+[smhd]?\s*(?:$|;|&&|\n))/;

function waitsForProgram({ action }: ActionEvent): number {
  return isAction(action, 'TerminalAction') && WAITING.test(action.command) ? UNCHANGED_POLLS : 0;
}

/** Returns the allowances by tool: the caller's allowances over the default ones. */
export function allowanceTable(own: Readonly<Record<string, Allowance>> = {}): ReadonlyMap<string, Allowance> {
  return new Map<string, Allowance>([['terminal', waitsForProgram], ...Object.entries(own)]);
}

/** Returns the allowance of one call. */
export function allowanceOf(table: ReadonlyMap<string, Allowance>, event: ActionEvent): number {
  const allowance = table.get(event.tool_name) ?? 0;
  const times = typeof allowance === 'number' ? allowance : (allowance(event) ?? 0);
  return times > 0 ? times : 0;
}
