import { findIgnoringLineEndings, withLineEndingsOf, withLineFeeds } from './line-endings.ts';
import { Refusal } from './refusal.ts';
import { lineAt, linesOf } from './snippet.ts';

/** An edit of a text: the new text and the lines of it that are new. */
export interface TextEdit {
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

const MOST_LINES_NAMED = 20;

/** Replaces the only occurrence of `wanted`. Throws {@link Refusal} if there is none, or more than one. */
export function replaceOnce(path: string, text: string, wanted: string, replacement: string): TextEdit {
  if (wanted === '') throw new Refusal('old_str is empty; use insert to add text.');
  if (wanted === replacement) throw new Refusal('old_str and new_str are the same, so nothing would change.');
  const [place, ...more] = findIgnoringLineEndings(text, wanted);
  if (!place) throw new Refusal(`old_str does not occur in ${path}, so nothing was changed.${hint(text, wanted)}`);
  if (more.length > 0) {
    const lines = [place, ...more].map(({ start }) => lineAt(text, start));
    throw new Refusal(
      `old_str occurs ${lines.length} times in ${path}, at lines ${listOf(lines)}. Nothing was changed; include more of the lines around the place you mean.`,
    );
  }
  const added = withLineEndingsOf(text, place, replacement);
  const edited = text.slice(0, place.start) + added + text.slice(place.end);
  if (edited === text) throw new Refusal('old_str and new_str differ in line endings alone, which this tool keeps.');
  return { text: edited, first: lineAt(edited, place.start), last: lineAt(edited, place.start + added.length) };
}

/** Adds lines after a line; 0 is the start. The text keeps its line endings and whether it ends with one. */
export function insertAfter(path: string, text: string, line: number, added: string): TextEdit {
  const lines = linesOf(text).length;
  if (line > lines) throw new Refusal(`insert_line is ${line}, but ${path} has ${lines} lines; use 0 to ${lines}.`);
  const at = startOfLine(text, line + 1);
  const whole = withLineFeeds(added).replace(/\n$/, '');
  const lacksEnding = at === text.length && at > 0 && !text.endsWith('\n');
  const block = withLineEndingsOf(text, { start: 0, end: text.length }, lacksEnding ? `\n${whole}` : `${whole}\n`);
  const first = line + 1;
  return { text: text.slice(0, at) + block + text.slice(at), first, last: first + whole.split('\n').length - 1 };
}

function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let number = 1; number < line; number++) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

// tell the model if it copied the line numbers of the view, or lost the indentation
function hint(text: string, wanted: string): string {
  if (/^\s*\d+\t/m.test(wanted)) return ' It seems to hold the line numbers of the view; leave them out.';
  const needle = linesOf(withLineFeeds(wanted)).map(bare);
  while (needle.length > 0 && needle[0] === '') needle.shift();
  const [first] = needle;
  if (first === undefined) return '';
  const lines = linesOf(text).map(bare);
  const places = lines.flatMap((line, index) =>
    line === first && needle.every((each, offset) => lines[index + offset] === each) ? [index + 1] : [],
  );
  if (places.length === 0) return ' View the file and copy the text exactly.';
  return ` Text that differs in spaces alone is at line ${listOf(places)}: copy spaces and tabs exactly.`;
}

function bare(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

function listOf(lines: readonly number[]): string {
  const rest = lines.length - MOST_LINES_NAMED;
  return lines.slice(0, MOST_LINES_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
