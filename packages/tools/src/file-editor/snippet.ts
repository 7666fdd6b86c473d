const LONGEST_LINE = 2000;
const MOST_TEXT = 27_000;
const AROUND = 4;
const MOST_EDITED = 80;

/** Returns the lines of a text without their endings; a final line ending starts no further line. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (text.endsWith('\n')) lines.pop();
  return lines;
}

/** Returns the number, counted from 1, of the line at a position. */
export function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Returns numbered lines, as many as a result may hold, and the number of the last shown line. */
export function numberLines(
  lines: readonly string[],
  first: number,
  last: number,
): { readonly text: string; readonly last: number } {
  const shown: string[] = [];
  let length = 0;
  for (let number = first; number <= last; number++) {
    const line = `${String(number).padStart(6)}\t${shorten(lines[number - 1] ?? '')}`;
    length += line.length + 1;
    if (length > MOST_TEXT && shown.length > 0) return { text: shown.join('\n'), last: number - 1 };
    shown.push(line);
  }
  return { text: shown.join('\n'), last };
}

/** Returns the lines from `first` to `last` with some context, for the result of an edit. */
export function snippet(text: string, first: number, last: number): string {
  const lines = linesOf(text);
  const from = Math.max(1, first - AROUND);
  const to = Math.min(lines.length, Math.min(last, first + MOST_EDITED) + AROUND);
  return numberLines(lines, from, to).text;
}

function shorten(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  return `${line.slice(0, LONGEST_LINE).toWellFormed()} [... ${line.length - LONGEST_LINE} more characters in this line]`;
}
