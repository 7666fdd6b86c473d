import { SECRET_MASK } from '@conv/core';
import { openingOf } from './opening.ts';
import { unfitValue, withoutBreaks } from './unfit-value.ts';
import { formsOf } from '../forms/value-forms.ts';
import { valueParts } from './value-parts.ts';

/** The proper ends and the proper beginnings of a mask. */
const MASK_ENDS = Array.from({ length: SECRET_MASK.length - 1 }, (_, index) => SECRET_MASK.slice(index + 1));
const MASK_BEGINNINGS = Array.from({ length: SECRET_MASK.length - 1 }, (_, index) => SECRET_MASK.slice(0, index + 1));

/** The texts to look for, without line breaks. */
export class PatternSet {
  /** All texts that stand for a value. */
  readonly patterns: Set<string> = new Set<string>();
  /** Beginnings of these patterns that are not secret. */
  readonly openings: Set<string> = new Set<string>();

  /** Adds all forms of one more value. */
  add(value: string): void {
    const forms = formsOf(value);
    for (const part of valueParts(value)) {
      this.openings.add(withoutBreaks(openingOf(part)));
      for (const form of forms(part)) this.#addForm(withoutBreaks(form));
    }
  }

  /**
   * Adds a form. If it begins as a mask ends, or ends as a mask begins, it is also searched without that part: a mask in the text
   * is a border, so next to a mask only the rest of the form can be found.
   */
  #addForm(form: string): void {
    if (this.patterns.has(form) || unfitValue(form) !== undefined) return;
    this.patterns.add(form);
    for (const end of MASK_ENDS) if (form.startsWith(end)) this.#addForm(form.slice(end.length));
    for (const beginning of MASK_BEGINNINGS)
      if (form.endsWith(beginning)) this.#addForm(form.slice(0, -beginning.length));
  }
}
