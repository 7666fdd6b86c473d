import type { ExecutionStatus } from '@conv/core';
import { amount, duration } from '../text/amounts.ts';
import { type Line, span, type Style } from '../text/span.ts';
import type { Block } from './block.ts';
import { type Spent, spentParts } from './spending.ts';

const ends: Partial<Record<ExecutionStatus, { glyph: string; words: string; styles: readonly Style[] }>> = {
  finished: { glyph: '■', words: 'run finished', styles: ['green', 'bold'] },
  paused: { glyph: '‖', words: 'run paused', styles: ['yellow', 'bold'] },
  waiting_for_confirmation: { glyph: '?', words: 'waiting for approval', styles: ['yellow', 'bold'] },
  stuck: { glyph: '✗', words: 'run stopped: the agent is stuck', styles: ['red', 'bold'] },
  error: { glyph: '✗', words: 'run stopped by an error', styles: ['red', 'bold'] },
};

/** Returns the block of the end of a run, with its duration and its cost; `undefined` for a status that ends no run. */
export function runBlock(status: ExecutionStatus, took: number, spent: Spent, openCalls: number): Block | undefined {
  const end = ends[status];
  if (end === undefined) return undefined;
  const parts: Line[] = [[span(end.words, ...end.styles)]];
  if (status === 'waiting_for_confirmation' && openCalls > 0) parts.push([span(amount(openCalls, 'call'))]);
  const facts = [duration(took)];
  if (spent.calls > 0) facts.push(amount(spent.calls, 'model call'));
  parts.push(...[...facts, ...spentParts(spent)].map((fact): Line => [span(fact, 'dim')]));
  return { glyph: span(end.glyph, ...end.styles), parts, rows: [], shape: 'full' };
}
