import { base64Forms, wrappedBase64 } from './base64-forms.ts';
import { doubledQuotes } from './doubled-quotes.ts';
import { byteForms, hexForms } from './hex-forms.ts';
import { htmlForms } from './html-forms.ts';
import { jsonForms } from './json-forms.ts';
import { percentForms } from './percent-forms.ts';
import { shellForms } from './shell-forms.ts';

/** The size in bytes of UTF-8 above which a value and its parts are searched only in the forms in which files are shown. */
const LARGE = 4096;
/** The size in bytes above which they are not searched in forms that add characters to each byte, nor in nested JSON. */
const LONG = 1024;

/** For each part of a value the forms in which texts contain it, with or without line breaks. */
export function formsOf(value: string): (part: string) => ReadonlySet<string> {
  if (Buffer.byteLength(value) <= LARGE) return (part) => new Set(normalForms(part).flatMap(allForms));
  const whole = value.trim();
  return (part) => (part.length > LARGE && part.trim() !== whole ? shownForms(part) : fileForms(part));
}

/** File systems and databases write accents in their own way: as a character with the letter, or as one of their own. */
function normalForms(text: string): readonly string[] {
  return [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])];
}

function allForms(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const long = bytes.length > LONG;
  const quoted = [...new Set([value, ...shellForms(value), ...doubledQuotes(value)])];
  return [
    ...quoted,
    ...jsonForms(value),
    // a command in the arguments of a call
    ...quoted.flatMap((form) => jsonForms(form, long ? 1 : undefined)),
    ...htmlForms(value),
    ...percentForms(bytes),
    ...base64Forms(bytes),
    ...wrappedBase64(bytes),
    ...hexForms(bytes),
    ...(long ? [] : byteForms(bytes)),
  ];
}

function fileForms(value: string): ReadonlySet<string> {
  return new Set([...shownForms(value), ...base64Forms(new TextEncoder().encode(value))]);
}

function shownForms(value: string): ReadonlySet<string> {
  return new Set([value, ...jsonForms(value, 1)]);
}
