import { visibleText } from '@conv/visualize/text';
import { type ActionEvent, isAction } from '@conv/core/events';

import { plain } from '../terminal/output.ts';

/** Characters of a call in one line. */
export const ONE_LINE = 400;

/** Mark at the end of a call's line that continues in the next line. */
const LINE_BREAK = ' ⏎';

/** Returns the whole action: each line of it, with its line breaks marked and nothing hidden. */
export function callLines({ action }: ActionEvent): readonly string[] {
  if (action === undefined || action === null) return ['invalid call'];
  const lines = visibleText(textOf(action)).split('\n');
  return lines.map((line, at) => (at === lines.length - 1 ? line : `${line}${LINE_BREAK}`));
}

/** Returns the action in one line. */
export function describeAction({ action }: ActionEvent): string {
  return action === undefined || action === null ? 'invalid call' : plain(textOf(action), ONE_LINE);
}

function textOf(action: NonNullable<ActionEvent['action']>): string {
  if (isAction(action, 'TerminalAction')) return action.command;
  const { kind: _, ...fields } = action;
  return JSON.stringify(fields);
}
