import { SECRET_MASK } from '@conv/core';
import { openingOf } from './opening.ts';
import { unfitValue, withoutBreaks } from './unfit-value.ts';
import { valueForms } from './value-forms.ts';
import { valueParts } from './value-parts.ts';

/** What is looked for, without line breaks. */
export class PatternSet {
  /** All texts that stand for a value. */
  readonly patterns: Set<string> = new Set<string>();
  /** Beginnings of them that are no secret. */
  readonly openings: Set<string> = new Set<string>();

  /** Adds what stands for one more value. */
  add(value: string): void {
    for (const part of valueParts(value)) {
      this.openings.add(withoutBreaks(openingOf(part)));
      for (const form of valueForms(part)) this.#addForm(withoutBreaks(form));
    }
  }

  /**
   * A form that begins as a mask ends, or the reverse, is looked for without that end too: next to a mask in the text, which is a
   * border, there is no more of it to be found.
   */
  #addForm(form: string): void {
    if (unfitValue(form) !== undefined) return;
    this.patterns.add(form);
    for (let shared = 1; shared < SECRET_MASK.length; shared += 1) {
      if (form.startsWith(SECRET_MASK.slice(-shared))) this.#addForm(form.slice(shared));
      if (form.endsWith(SECRET_MASK.slice(0, shared))) this.#addForm(form.slice(0, -shared));
    }
  }
}
