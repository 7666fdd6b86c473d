/** Comment of a source file, without its marks. */
export interface Comment {
  /** The line where it begins, counted from 1. */
  readonly line: number;
  /** Its text in one line; the tags of a doc comment stand in it as written. */
  readonly text: string;
}

/** Matches strings and templates, so that a mark inside of one begins no comment, then comments of both forms. */
const TOKEN =
  /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[^])*`|\/\*[^]*?\*\/|(?:^[ \t]*\/\/[^\n]*\n?)+|\/\/[^\n]*/gm;

/** Lists the comments of a TypeScript or JavaScript file in order; neighbouring `//` lines are one comment. */
export function commentsOf(source: string): readonly Comment[] {
  const found: Comment[] = [];
  for (const match of source.matchAll(TOKEN)) {
    const [token] = match;
    const start = token.search(/\S/);
    if (!token.startsWith('//', start) && !token.startsWith('/*', start)) continue;
    found.push({ line: source.slice(0, match.index + start).split('\n').length, text: plain(token) });
  }
  return found;
}

function plain(token: string): string {
  return token
    .replace(/^\s*\/\*+|\*\/\s*$/g, '')
    .replace(/^\s*(?:\*|\/\/)[ \t]?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
