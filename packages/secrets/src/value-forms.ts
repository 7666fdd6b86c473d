import { base64Forms } from './base64-forms.ts';
import { htmlForms } from './html-forms.ts';
import { jsonForms } from './json-forms.ts';
import { hexForms, percentForms } from './percent-forms.ts';
import { shellForms } from './shell-forms.ts';

/** A value in the forms in which texts contain it. The forms may hold line breaks. */
export function valueForms(value: string): ReadonlySet<string> {
  const bytes = new TextEncoder().encode(value);
  const quoted = [...shellForms(value)];
  return new Set([
    value,
    ...jsonForms(value),
    ...quoted,
    // a command in the arguments of a call
    ...quoted.flatMap((form) => [...jsonForms(form)]),
    ...htmlForms(value),
    ...percentForms(bytes),
    ...base64Forms(bytes),
    ...hexForms(bytes),
  ]);
}
