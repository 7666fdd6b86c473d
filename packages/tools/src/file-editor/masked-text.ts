import { SECRET_MASK } from '@conv/core';

import { findIgnoringLineEndings } from './line-endings.ts';
import { Refusal } from './refusal.ts';

/** Throws {@link Refusal} for new text that holds the mask, because the model has read the mask instead of a value. */
export function refuseMaskedText(parameter: string, text: string): void {
  if (!text.includes(SECRET_MASK)) return;
  throw new Refusal(
    `${parameter} holds ${SECRET_MASK}, which replaces the value of a secret; the value would be lost. Nothing was changed. Write the value with a command in the terminal, as $ and the name of the secret.`,
  );
}

/**
 * Throws {@link Refusal} for a replacement that would put the mask where a value stands, or that looks for the mask where the
 * file has a value. A file that really holds the mask may be edited.
 */
export function refuseMaskedReplacement(
  path: string,
  text: string,
  wanted: string,
  replacement: string,
  [old, added]: readonly [string, string] = ['old_str', 'new_str'],
): void {
  if (!wanted.includes(SECRET_MASK)) return refuseMaskedText(added, replacement);
  if (findIgnoringLineEndings(text, wanted).length > 0) return;
  throw new Refusal(
    `${old} holds ${SECRET_MASK}, but ${path} holds the value of a secret there. Nothing was changed. Replace the text before and after it in separate edits, without the mask in ${old} and ${added}; change the value itself in the terminal, as $ and the name of the secret.`,
  );
}
