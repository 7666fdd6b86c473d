import { crc32 } from 'node:zlib';

import type { StateFields } from '@conv/core';
import { toCommitSeq, type KeptState } from '@conv/core/store';

/** The settings that keep a conversation safe: what a lost commit must not make weaker. */
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

/** The settings of a state as JSON, to be compared with those of another one and handed to {@link keptText}. */
export function settingsText(fields: StateFields): string {
  return JSON.stringify(Object.fromEntries(SETTINGS.map((name) => [name, fields[name]])));
}

/** A copy of settings for stores to keep beside the log, with a check value. `seq`: it shows the commits before this one. */
export function keptText(seq: number, settings: string): string {
  const text = `${seq} ${settings}`;
  return `${checkOf(text)} ${text}`;
}

/** The copy in a text of {@link keptText}; none in one that is damaged. A store's `kept` returns it. */
export function keptIn(text: unknown): readonly KeptState[] {
  const [, check, rest, seq, settings] = typeof text === 'string' ? (/^(\w{8}) ((\d+) (.*))$/s.exec(text) ?? []) : [];
  if (rest === undefined || settings === undefined || check !== checkOf(rest)) return [];
  return [{ seq: toCommitSeq(Number(seq)), fields: JSON.parse(settings) as Partial<StateFields> }];
}

function checkOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
