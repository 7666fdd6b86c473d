import process from 'node:process';
import { createInterface } from 'node:readline/promises';

import { type ActionEvent, isAction } from '@conv/core/events';

import { plain } from '../terminal/output.ts';
import { paletteFor } from '../terminal/palette.ts';

/** What a person answered: run them, do not, or decide later. */
export type Approval = 'approve' | 'reject' | 'later';

/** Asks whether these actions may run. Only for a terminal. */
export async function askApproval(actions: readonly ActionEvent[]): Promise<Approval> {
  const color = paletteFor(process.stderr);
  for (const action of actions) process.stderr.write(`  ${color.bold(action.tool_name)} ${describeAction(action)}\n`);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const cancelled = new AbortController();
  prompt.on('SIGINT', () => cancelled.abort());
  prompt.on('close', () => cancelled.abort());
  try {
    for (;;) {
      const question = color.yellow(actions.length === 1 ? 'Run it? [y/n] ' : 'Run them? [y/n] ');
      const answer = (await prompt.question(question, { signal: cancelled.signal })).trim().toLowerCase();
      if (answer === 'y' || answer === 'yes') return 'approve';
      if (answer === 'n' || answer === 'no') return 'reject';
    }
  } catch (error) {
    if (!cancelled.signal.aborted) throw error;
    process.stderr.write('\n');
    return 'later';
  } finally {
    prompt.close();
  }
}

/** What an action is about to do, in one line. */
export function describeAction({ action }: ActionEvent): string {
  if (action === undefined || action === null) return 'invalid call';
  if (isAction(action, 'TerminalAction')) return plain(action.command, 400);
  const { kind: _, ...fields } = action;
  return plain(JSON.stringify(fields), 400);
}
