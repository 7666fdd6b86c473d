/** A text in pieces of 1, 2, 3, 5, 7 and 11 characters in turns, so that every value is cut, and each in other places. */
export function awkward(text: string): readonly string[] {
  const sizes = [1, 2, 3, 5, 7, 11];
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < characters.length;) {
    const size = sizes[pieces.length % sizes.length] ?? 1;
    pieces.push(characters.slice(start, start + size).join(''));
    start += size;
  }
  return pieces;
}

/** A text as one word of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The name by which commands get the secret. */
export function nameOf(id: string): string {
  return id.toUpperCase().replaceAll('-', '_');
}

/** Secrets whose values are unknown before a command has named them. */
export const UNRESOLVED: readonly string[] = ['from-function', 'from-lookup'];

/** Secrets whose values are short, in one line and without characters that a shell or a terminal interprets. */
export const SIMPLE: readonly string[] = [
  'plain-token',
  'prefix-short',
  'prefix-long',
  'password-long',
  'digits',
  'from-function',
  'from-lookup',
  'lookup-header',
  'rotated-old',
  'rotated-new',
  'model-key',
];
