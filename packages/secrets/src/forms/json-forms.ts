/** The default depth to which JSON is looked for in texts of JSON. */
const LEVELS = 3;

/** Characters that some way of writing JSON changes. */
const ESCAPED = /[^ -~]|["'&<>`+/\\]/;

type Escape = (text: string) => string;

const plain: Escape = (text) => JSON.stringify(text).slice(1, -1);

/** The ways in which programs write a text in JSON. */
const ESCAPES: readonly Escape[] = [
  plain,
  // Python and many others: ASCII alone.
  (text) => escaped(plain(text), /[^\0-~]/g, lower),
  (text) => escaped(plain(text), /[^\0-~]/g, upper),
  // Go: safe to put into HTML.
  (text) => escaped(plain(text), /[<>&\u2028\u2029]/g, lower),
  // PHP.
  (text) => escaped(plain(text), /[^\0-~]/g, lower).replaceAll('/', '\\/'),
  // .NET: ASCII, safe in HTML, and quotes as numbers.
  (text) => escaped(plain(text).replaceAll('\\"', '"'), /[^\0-~]|["'&<>`+\x7f]/g, upper),
];

/** Returns the forms of a text in JSON strings, including JSON that is itself a string in JSON. */
export function jsonForms(text: string, levels: number = LEVELS): readonly string[] {
  if (!ESCAPED.test(text)) return [text];
  const forms = new Set<string>();
  for (const escape of ESCAPES) {
    let repeated = text;
    let plainInside = text;
    for (let level = 1; level <= levels; level += 1) {
      repeated = escape(repeated);
      forms.add(repeated);
      forms.add(escape(plainInside));
      plainInside = plain(plainInside);
    }
  }
  return [...forms];
}

function escaped(text: string, characters: RegExp, digits: (unit: number) => string): string {
  return text.replaceAll(characters, (character) => `\\u${digits(character.charCodeAt(0))}`);
}

function lower(unit: number): string {
  return unit.toString(16).padStart(4, '0');
}

function upper(unit: number): string {
  return lower(unit).toUpperCase();
}
