import { SECRET_MASK } from '@conv/core';
import { unfitValue, withoutBreaks } from './unfit-value.ts';
import { valueForms } from './value-forms.ts';
import { valueParts } from './value-parts.ts';

/** All texts that stand for a value, without line breaks. */
export function patternsOf(value: string): ReadonlySet<string> {
  const patterns = new Set<string>();
  for (const part of valueParts(value)) {
    for (const form of valueForms(part)) addPattern(patterns, withoutBreaks(form));
  }
  return patterns;
}

/**
 * A form that begins as a mask ends, or the reverse, is looked for without that end too: next to a mask in the text, which is a
 * border, there is no more of it to be found.
 */
function addPattern(patterns: Set<string>, form: string): void {
  if (unfitValue(form) !== undefined) return;
  patterns.add(form);
  for (let shared = 1; shared < SECRET_MASK.length; shared += 1) {
    if (form.startsWith(SECRET_MASK.slice(-shared))) addPattern(patterns, form.slice(shared));
    if (form.endsWith(SECRET_MASK.slice(0, shared))) addPattern(patterns, form.slice(0, -shared));
  }
}
