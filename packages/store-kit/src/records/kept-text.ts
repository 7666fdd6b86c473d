import { crc32 } from 'node:zlib';

import type { StateFields } from '@conv/core';
import { toCommitSeq, type KeptState } from '@conv/core/store';

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

/**
 * Returns a copy of settings with a check value, which a store keeps beside the log. `seq`: it shows the commits before
 * this one.
 */
export function keptText(seq: number, settings: string): string {
  const text = `${seq} ${settings}`;
  return `${checkOf(text)} ${text}`;
}

/** Returns the copy in a text of {@link keptText}; an empty list for a damaged text. A store's `kept` returns it. */
export function keptIn(text: unknown): readonly KeptState[] {
  const [, check, rest, seq, settings] = typeof text === 'string' ? (/^(\w{8}) ((\d+) (.*))$/s.exec(text) ?? []) : [];
  if (rest === undefined || settings === undefined || check !== checkOf(rest)) return [];
  return [{ seq: toCommitSeq(Number(seq)), fields: JSON.parse(settings) as Partial<StateFields> }];
}

function checkOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
