import type { StateFields } from '@conv/core';
import { toCommitSeq, type KeptState } from '@conv/core/store';
import { isOtherId } from './other-conversation.ts';
import { checkedText, textIn } from '../system/checked-text.ts';

/** The settings that keep a conversation safe, which a lost commit must not weaken (decision 27). */
const SETTINGS = [
  'confirmationPolicy',
  'securityAnalyzer',
  'hookConfig',
  'stuckDetection',
  'maxIterations',
  'maxBudgetPerRun',
  'maxBudget',
  'toolTimeout',
] as const satisfies readonly (keyof StateFields)[];

/**
 * Returns the settings of a state as JSON, to be compared with other settings and handed to {@link keptText}. The text names the
 * conversation, so that it never counts as the copy of another conversation (decision 81).
 */
export function settingsText(fields: Partial<StateFields>, id: string): string {
  return JSON.stringify({ id, ...Object.fromEntries(SETTINGS.map((name) => [name, fields[name]])) });
}

/** Returns a copy of settings with a check value, to be kept beside the log. `seq`: it shows the commits before this. */
export function keptText(seq: number, settings: string): string {
  return checkedText(`${seq} ${settings}`);
}

/**
 * Returns the copy in a text of {@link keptText}; an empty list for a damaged text, and for the copy of another conversation. A
 * store's `kept` returns it. Copies of older versions name no conversation.
 */
export function keptIn(text: unknown, id: string): readonly KeptState[] {
  const whole = typeof text === 'string' ? textIn(text) : undefined;
  const [, seq, settings] = /^(\d+) (.*)$/s.exec(whole ?? '') ?? [];
  if (settings === undefined) return [];
  const { id: named, ...fields } = JSON.parse(settings) as Partial<StateFields>;
  return isOtherId(named, id) ? [] : [{ seq: toCommitSeq(Number(seq)), fields }];
}
