import process from 'node:process';
import { createInterface } from 'node:readline/promises';

import type { PendingAction } from '@conv/core';
import { plainLine } from '@conv/visualize/text';

import { safe } from '../terminal/output.ts';
import { type Palette, paletteFor } from '../terminal/palette.ts';
import { callLines } from './call-text.ts';

/** Answer of a person: run it, reject it with a reason, or decide later. */
export type Approval = 'approve' | 'later' | { readonly reject: string };

/** Reason that the model reads when a person gives none. */
export const NO_REASON = 'The user said no.';

const NO = /^no?\b[\s,:]*(.*)$/i;

/** Rows of a terminal whose height is not known. */
const ROWS = 24;

/**
 * Asks once if these actions may run, and shows their risks. Before the question all calls are shown in full, page by page. Needs a
 * terminal.
 */
export async function askApproval(actions: readonly PendingAction[]): Promise<Approval> {
  const color = paletteFor(process.stderr);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const cancelled = new AbortController();
  prompt.on('SIGINT', () => cancelled.abort());
  prompt.on('close', () => cancelled.abort());
  const ask = (question: string): Promise<string> =>
    prompt.question(color.yellow(question), { signal: cancelled.signal });
  try {
    const lines = actions.flatMap((action) => approvalLines(action, color));
    const pages = pagesOf(lines, process.stderr.columns, process.stderr.rows);
    for (const [at, page] of pages.entries()) {
      if (at > 0) await ask(`Press Enter for the rest of the call (${pages.length - at} more) `);
      for (const line of page) process.stderr.write(`${line}\n`);
    }
    for (;;) {
      const what = actions.length > 1 ? `all ${actions.length} calls` : 'it';
      const answer = (await ask(`Run ${what}? [y/n, or n and a reason] `)).trim();
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

/** Returns the facts for a decision: the tool, its risk with the reasons, and the whole call. */
export function approvalLines(action: PendingAction, color: Palette): readonly string[] {
  const risk = action.security_risk ?? 'UNKNOWN';
  const paint = { HIGH: color.red, MEDIUM: color.yellow, LOW: color.green, UNKNOWN: color.dim }[risk];
  return [
    `  ${color.bold(plainLine(action.tool_name))} · risk ${paint(risk)}`,
    ...action.reasons.map((reason) => color.dim(`  why: ${plainLine(reason)}`)),
    ...callLines(action).map((line) => `  ${color.dim('│')} ${safe(line)}`),
  ];
}

/**
 * The lines in pages that a terminal of this size shows at once; a line that is longer than a page is cut into several.
 *
 * @internal
 */
export function pagesOf(
  lines: readonly string[],
  columns: number = 80,
  rows: number = ROWS,
): readonly (readonly string[])[] {
  const room = Math.max(4, rows - 2);
  const pages: string[][] = [];
  let left = 0;
  for (const line of lines.flatMap((whole) => cut(whole, columns * room))) {
    const needed = Math.ceil(line.length / columns) || 1;
    if (needed > left) {
      pages.push([]);
      left = room;
    }
    pages.at(-1)?.push(line);
    left -= needed;
  }
  return pages;
}

function cut(line: string, length: number): readonly string[] {
  if (line.length <= length) return [line];
  return Array.from({ length: Math.ceil(line.length / length) }, (_, at) => line.slice(at * length, (at + 1) * length));
}
