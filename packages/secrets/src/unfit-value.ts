import { SECRET_MASK } from '@conv/core';
import { WINDOW } from './skip-filter.ts';

/** Why a value cannot be masked, in words that say nothing of it; `undefined` when it can. */
export function unfitValue(value: string): string | undefined {
  const core = withoutBreaks(value).trim();
  if (core.length < WINDOW) return `its value has fewer than ${WINDOW} characters`;
  if (SECRET_MASK.includes(core)) return 'its value is part of the text that stands for values';
  if (value.includes(SECRET_MASK)) return 'its value contains the text that stands for values';
  return undefined;
}

/** What remains of a text that is wrapped anywhere. */
export function withoutBreaks(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]+/g, '') : text;
}
