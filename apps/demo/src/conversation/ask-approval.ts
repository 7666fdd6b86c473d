import process from 'node:process';
import { createInterface } from 'node:readline/promises';

import type { RiskAssessment } from '@conv/core';
import { type ActionEvent, isAction } from '@conv/core/events';

import { plain } from '../terminal/output.ts';
import { type Palette, paletteFor } from '../terminal/palette.ts';

/** What a person answered: run it, do not and why, or decide later. */
export type Approval = 'approve' | 'later' | { readonly reject: string };

/** What the model reads when a person gives no reason. */
export const NO_REASON = 'The user said no.';

const NO = /^no?\b[\s,:]*(.*)$/i;

/** Asks whether this action may run, with what is known of its risk. Only for a terminal. */
export async function askApproval(action: ActionEvent, assessment: RiskAssessment | undefined): Promise<Approval> {
  const color = paletteFor(process.stderr);
  for (const line of approvalLines(action, assessment, color)) process.stderr.write(`${line}\n`);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const cancelled = new AbortController();
  prompt.on('SIGINT', () => cancelled.abort());
  prompt.on('close', () => cancelled.abort());
  try {
    for (;;) {
      const question = color.yellow('Run it? [y/n, or n and why not] ');
      const answer = (await prompt.question(question, { signal: cancelled.signal })).trim();
      if (/^y(es)?$/i.test(answer)) return 'approve';
      const no = NO.exec(answer);
      if (no) return { reject: no[1] || NO_REASON };
    }
  } catch (error) {
    if (!cancelled.signal.aborted) throw error;
    process.stderr.write('\n');
    return 'later';
  } finally {
    prompt.close();
  }
}

/** What a person has to know to decide: the tool, its risk, the command, why it is thought to be risky. */
export function approvalLines(
  action: ActionEvent,
  assessment: RiskAssessment | undefined,
  color: Palette,
): readonly string[] {
  const risk = assessment?.risk ?? 'UNKNOWN';
  const paint = { HIGH: color.red, MEDIUM: color.yellow, LOW: color.green, UNKNOWN: color.dim }[risk];
  return [
    `  ${color.bold(action.tool_name)} · risk ${paint(risk)}`,
    `  ${describeAction(action)}`,
    ...(assessment?.reasons ?? []).map((reason) => color.dim(`  why: ${plain(reason, 200)}`)),
  ];
}

/** What an action is about to do, in one line. */
export function describeAction({ action }: ActionEvent): string {
  if (action === undefined || action === null) return 'invalid call';
  if (isAction(action, 'TerminalAction')) return plain(action.command, 400);
  const { kind: _, ...fields } = action;
  return plain(JSON.stringify(fields), 400);
}
