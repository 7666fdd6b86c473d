import type { PendingAction } from '@conv/core';
import { type ActionEvent, isAction } from '@conv/core/events';
import { kindOf, kindText } from '@conv/turns';
import { plainLine, visibleText } from '@conv/visualize/text';
import { ownArguments } from '@conv/visualize/timeline';
import pc from 'picocolors';

import { cutRows, wrapWords } from '../../terminal/wrap-words.ts';

/** The answer of a person to the question about a call. */
export type Decision =
  | 'yes'
  | 'always'
  | { readonly alwaysFor: number }
  | { readonly no: string }
  | { readonly edit: string };

/** The reason that the model reads when a person gives none. */
export const NO_REASON = 'The user said no.';

/** An answer that allows calls of a kind for a time, such as `a 2h`. */
const ALWAYS_FOR = /^a(?:lways)?\s+([1-9]\d{0,3})\s*([mhd])$/i;

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An answer that gives the call other arguments, as JSON. */
const EDIT = /^e(?:dit)?(?:\s+|(?=\{)|$)([^]*)$/i;

const NO = /^no?\b[\s,:]*([^]*)$/i;

/** Columns and colour of the log. */
export interface LogForm {
  readonly columns: number;
  readonly color: boolean;
}

/** Returns the lines for a decision: the tool, its risk with the reasons, and the whole call with nothing hidden. */
export function callLines(action: PendingAction, { columns, color }: LogForm): readonly string[] {
  const { red, yellow, green, dim, bold } = pc.createColors(color);
  const risk = action.security_risk ?? 'UNKNOWN';
  const paint = { HIGH: red, MEDIUM: yellow, LOW: green, UNKNOWN: dim }[risk];
  return [
    '',
    `${yellow('?')} ${bold(plainLine(action.tool_name))} wants to run · risk ${paint(risk)}`,
    ...action.reasons.flatMap((reason) =>
      wrapWords(`why: ${plainLine(reason)}`, columns - 3).map((row) => `  ${dim(row)}`),
    ),
    ...wholeCall(action).flatMap((line) => cutRows(line, columns - 5).map((row) => `  ${dim('│')} ${row}`)),
  ];
}

/** Returns the question about a call, with the answers that it may have, before so many other calls that wait; `mayEdit`: its arguments can be changed. */
export function questionFor(action: PendingAction, others: number, mayEdit: boolean): string {
  const kind = kindOf(action);
  const count = others > 0 ? ` (${others} more ${others === 1 ? 'waits' : 'wait'})` : '';
  const always = kind === undefined ? '' : `, a = always ${kindText(kind)} in this conversation`;
  return `Run it?${count} y = yes, n = no (or n and a reason)${mayEdit ? ', e = edit' : ''}${always}`;
}

/** Returns the question about all calls that wait, where the server decides on them together. */
export function allQuestion(count: number): string {
  return `Run all ${count} calls? This server decides on them together: y = yes, n = no (or n and a reason)`;
}

/** Returns the decision in an answer; `undefined` when it is none. */
export function decisionIn(answer: string): Decision | undefined {
  if (/^y(es)?$/i.test(answer)) return 'yes';
  if (/^a(lways)?$/i.test(answer)) return 'always';
  const [, count, unit = ''] = ALWAYS_FOR.exec(answer) ?? [];
  if (count !== undefined) return { alwaysFor: Number(count) * (UNITS[unit.toLowerCase()] ?? 0) };
  const [, edit] = EDIT.exec(answer) ?? [];
  if (edit !== undefined) return { edit };
  const no = NO.exec(answer);
  return no === null ? undefined : { no: no[1] || NO_REASON };
}

/** Returns the tool's own arguments of a call as JSON on one line. */
export function argumentsOf(action: ActionEvent): string {
  const args = ownArguments(action);
  return args ? JSON.stringify(args) : action.tool_call.arguments;
}

/** The lines of an action; a break inside of it is marked, so that it cannot look like a line of the chat. */
function wholeCall({ action }: ActionEvent): readonly string[] {
  if (action === undefined || action === null) return ['invalid call'];
  const lines = visibleText(textOf(action)).split('\n');
  return lines.map((line, at) => (at === lines.length - 1 ? line : `${line} ⏎`));
}

function textOf(action: NonNullable<ActionEvent['action']>): string {
  if (isAction(action, 'TerminalAction')) {
    const { kind: _, command, ...rest } = action;
    const further = Object.entries(rest).filter(
      ([, value]) => value !== null && value !== undefined && value !== false,
    );
    return further.length === 0 ? command : `${command}\n${JSON.stringify(Object.fromEntries(further))}`;
  }
  const { kind: _, ...fields } = action;
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}
