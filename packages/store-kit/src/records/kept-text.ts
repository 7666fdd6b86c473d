import type { StateFields } from '@conv/core';
import { toCommitSeq, type KeptState } from '@conv/core/store';
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

/** Returns the settings of a state as JSON, to be compared with other settings and handed to {@link keptText}. */
export function settingsText(fields: StateFields): string {
  return JSON.stringify(Object.fromEntries(SETTINGS.map((name) => [name, fields[name]])));
}

/** Returns a copy of settings with a check value, to be kept beside the log. `seq`: it shows the commits before this. */
export function keptText(seq: number, settings: string): string {
  return checkedText(`${seq} ${settings}`);
}

/** Returns the copy in a text of {@link keptText}; an empty list for a damaged text. A store's `kept` returns it. */
export function keptIn(text: unknown): readonly KeptState[] {
  const whole = typeof text === 'string' ? textIn(text) : undefined;
  const [, seq, settings] = /^(\d+) (.*)$/s.exec(whole ?? '') ?? [];
  if (settings === undefined) return [];
  return [{ seq: toCommitSeq(Number(seq)), fields: JSON.parse(settings) as Partial<StateFields> }];
}
