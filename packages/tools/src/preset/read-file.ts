import { text } from '@conv/core/tool';
import { z } from 'zod';

import { withLineFeeds } from '../file-editor/line-endings.ts';
import { Refusal } from '../file-editor/refusal.ts';
import { fieldsOf, type Preset } from './preset-tool.ts';

/** Lines of one answer, unless the call asks for another number. */
const MOST_LINES = 1000;
/** Characters of one answer. Its event holds the lines twice, and stays below 1 MiB. */
const MOST_CHARACTERS = 120_000;

const input = z.object({
  file_path: z.string().describe('The path of the file to read.'),
  offset: z.int().min(0).nullish().describe('The number of lines to pass over before the first line that is read.'),
  limit: z.int().min(1).nullish().describe('The most lines to read.'),
});

/** Reads a text file with line numbers. */
export const readFilePreset: Preset<typeof input> = {
  name: 'read_file',
  kind: 'ReadFile',
  description:
    'Reads a text file, with line numbers. A long file comes in parts: the answer says which lines it has, and how to read on with `offset` and `limit`.',
  input,
  readOnly: true,
  file: ({ file_path: path }) => path,
  execute: (given, workplace, context) =>
    workplace.answer(
      given.file_path,
      context,
      async (path) => {
        await using opened = await workplace.openText(path, 'read', context.signal);
        if (!opened) throw new Refusal(`File not found: ${path}`);
        const lines = linesIn(workplace.shown(opened.decoded.text));
        const start = given.offset ?? 0;
        if (start >= lines.length) throw new Refusal(`Offset ${start} is beyond file length (${lines.length} lines)`);
        const wanted = given.limit ?? MOST_LINES;
        const { content, end } = numbered(lines, start, Math.min(start + wanted, lines.length));
        const isTruncated = end < lines.length;
        const about = [`Read file: ${path}`];
        if (isTruncated)
          about.push(
            `(showing lines ${start + 1}-${end} of ${lines.length})`,
            `To read more, use: read_file(file_path='${given.file_path}', offset=${end}, limit=${wanted})`,
          );
        return {
          content: text(`${about.join(' ')}\n\n${content}`),
          fields: fieldsOf({
            file_path: path,
            file_content: content,
            is_truncated: isTruncated,
            lines_shown: isTruncated ? [start + 1, end] : undefined,
            total_lines: lines.length,
          }),
        };
      },
      { fields: (path) => ({ file_path: path, file_content: '', is_truncated: false }) },
    ),
};

/** Returns the lines of a text with their endings, which become line feeds. */
function linesIn(content: string): readonly string[] {
  return withLineFeeds(content).match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Numbers lines, as many as one answer may hold but at least one. `end` is the index behind the last of them. */
function numbered(
  lines: readonly string[],
  start: number,
  wanted: number,
): { readonly content: string; readonly end: number } {
  let content = '';
  for (let index = start; index < wanted; index++) {
    const line = `${String(index + 1).padStart(6)}  ${lines[index]}`;
    if (content.length + line.length <= MOST_CHARACTERS) content += line;
    else if (content !== '') return { content, end: index };
    else {
      const rest = line.length - MOST_CHARACTERS;
      const cut = line.slice(0, MOST_CHARACTERS).toWellFormed();
      return { content: `${cut} [... ${rest} more characters in this line]\n`, end: index + 1 };
    }
  }
  return { content, end: wanted };
}
