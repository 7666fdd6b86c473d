/** A word that docs/glossary.md forbids, and the word to use instead. */
export interface ForbiddenWord {
  /** The line of the glossary that forbids it, counted from 1. */
  readonly line: number;
  /** The forbidden word as written, such as `patience`, `sign of life`, `takeUp` or `Keep`. */
  readonly forbidden: string;
  /** The word to use instead. */
  readonly word: string;
}

/**
 * Reads the forbidden words of a glossary: the code in the column `not` of its tables. Prose in that column is for readers. The
 * column is found by its heading, so that a table without one forbids nothing.
 */
export function forbiddenWords(text: string): readonly ForbiddenWord[] {
  let column = -1;
  return text.split('\n').flatMap((each, index) => {
    const cells = each
      .trim()
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (cells.length === 0) column = -1;
    if (cells[0] === 'word') column = cells.indexOf('not');
    const words = [...(cells[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    return words.map((forbidden) => ({ line: index + 1, forbidden, word: cells[0] ?? '' }));
  });
}

/**
 * True if a public name has the forbidden word. A word with a capital letter is a name and must be the whole name; any other word
 * is found among the words of the name, so that `patience` is found in `RetryPatience` and `sign of life` in `lastSignOfLife`.
 */
export function nameHas(name: string, forbidden: string): boolean {
  if (/[A-Z]/.test(forbidden)) return name === forbidden;
  return ` ${wordsOf(name).join(' ')} `.includes(` ${forbidden} `);
}

/**
 * True if a comment has the forbidden word. A capitalised word such as `Keep` is looked for in names alone, because it may begin a
 * sentence.
 */
export function commentHas(text: string, forbidden: string): boolean {
  if (/^[A-Z]/.test(forbidden)) return false;
  const flags = /[A-Z]/.test(forbidden) ? '' : 'i';
  return new RegExp(`(?<![\\w-])${forbidden.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, flags).test(text);
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}
