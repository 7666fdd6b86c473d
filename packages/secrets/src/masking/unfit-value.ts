import { SECRET_MASK } from '@conv/core';
import { WINDOW } from './skip-filter.ts';

/** Returns the reason why a value cannot be masked, in words that reveal nothing of it; `undefined` when it can. */
export function unfitValue(value: string): string | undefined {
  const core = withoutBreaks(value).trim();
  if (core.length < WINDOW) return `its value has fewer than ${WINDOW} characters`;
  if (SECRET_MASK.includes(core)) return 'its value is part of the text that stands for values';
  if (value.includes(SECRET_MASK)) return 'its value contains the text that stands for values';
  return undefined;
}

/** Returns a text without its line breaks, so that wrapping makes no difference. */
export function withoutBreaks(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]+/g, '') : text;
}
