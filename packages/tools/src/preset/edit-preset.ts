import { text } from '@conv/core/tool';
import { z } from 'zod';

import { findIgnoringLineEndings, type Span, withLineEndingsOf, withLineFeeds } from '../file-editor/line-endings.ts';
import { refuseMaskedReplacement, refuseMaskedText } from '../file-editor/masked-text.ts';
import { Refusal } from '../file-editor/refusal.ts';
import { encodeText } from '../file-editor/text-file.ts';
import type { Preset } from './preset-tool.ts';
import { keptText, type Workplace } from './workplace.ts';

const input = z.object({
  file_path: z.string().describe('The path of the file to change.'),
  old_string: z
    .string()
    .describe('The text to replace, copied exactly, spaces included; an empty text makes a new file.'),
  new_string: z.string().describe('The text that takes its place.'),
  expected_replacements: z
    .int()
    .min(0)
    .default(1)
    .describe('The number of places that have the text. The edit is refused if there are more or fewer.'),
});

/** Replaces a text in a file, at each place that has it. */
export const editPreset: Preset<typeof input> = {
  name: 'edit',
  kind: 'Edit',
  description:
    'Replaces a text in a file. `old_string` must occur exactly `expected_replacements` times, once unless you say so: take enough lines around the change. An empty `old_string` makes a new file. Line endings and the encoding of a file stay as they are.',
  input,
  readOnly: false,
  file: ({ file_path: path }) => path,
  execute: (given, workplace, context) =>
    workplace.answer(
      given.file_path,
      context,
      async (path) => {
        const { old_string: wanted, new_string: added, expected_replacements: expected } = given;
        const { signal } = context;
        if (wanted === '') {
          if (workplace.hasSecrets) refuseMaskedText('new_string', added);
          const bytes = Buffer.from(added);
          workplace.checkSize(path, bytes);
          if (await workplace.files.isTaken(path))
            throw new Refusal(
              `Cannot create file that already exists: ${path}. Use write_file to overwrite or provide non-empty old_string.`,
            );
          await workplace.files.create(path, bytes, signal);
          const made = { file_path: path, is_new_file: true, replacements_made: 1 };
          return {
            content: text(`Created new file: ${path}`),
            fields: { ...made, ...keptText('new_content', workplace.shown(added)) },
          };
        }
        await using opened = await workplace.openText(path, 'write', signal);
        if (!opened) throw new Refusal(`File not found: ${path}. To create a new file, use old_string=''.`);
        const { file, decoded } = opened;
        if (workplace.hasSecrets)
          refuseMaskedReplacement(path, decoded.text, wanted, added, ['old_string', 'new_string']);
        const { text: edited, count } = replaceAll(path, decoded.text, { wanted, added, expected, workplace });
        const bytes = encodeText({ ...decoded, text: edited });
        if (!bytes)
          throw new Refusal(`${path} is encoded as ${decoded.encoding}, which lacks a character of the new text.`);
        workplace.checkSize(path, bytes);
        await file.replace(bytes, signal);
        return {
          content: text(`Successfully edited ${path} (${count} replacement(s))`),
          fields: {
            file_path: path,
            is_new_file: false,
            replacements_made: count,
            ...keptText('old_content', workplace.shown(withLineFeeds(decoded.text))),
            ...keptText('new_content', workplace.shown(withLineFeeds(edited))),
          },
        };
      },
      { fields: (path) => ({ file_path: path, is_new_file: false, replacements_made: 0 }) },
    ),
};

interface Replacement {
  readonly wanted: string;
  readonly added: string;
  readonly expected: number;
  readonly workplace: Workplace;
}

/** Replaces a text at each place. Throws {@link Refusal} unless there are as many places as expected, or if nothing would change. */
function replaceAll(
  path: string,
  content: string,
  { wanted, added, expected, workplace }: Replacement,
): { readonly text: string; readonly count: number } {
  if (wanted === added) throw new Refusal('No changes to apply. old_string and new_string are identical.');
  const places = apart(findIgnoringLineEndings(content, wanted));
  if (places.length === 0)
    throw new Refusal(
      `Could not find the string to replace. 0 occurrences found in ${path}. Use read_file to verify the exact text.`,
    );
  if (places.length !== expected)
    throw new Refusal(
      `Expected ${expected} ${expected === 1 ? 'occurrence' : 'occurrences'} but found ${places.length} in ${path}.`,
    );
  // many places may multiply the text beyond what memory holds; each character takes a byte at least
  workplace.checkSize(path, { length: places.length * added.length });
  let edited = '';
  let at = 0;
  for (const place of places) {
    edited += content.slice(at, place.start) + withLineEndingsOf(content, place, added);
    at = place.end;
  }
  edited += content.slice(at);
  if (edited === content) throw new Refusal('No changes made. The new content is identical to the current content.');
  return { text: edited, count: places.length };
}

/** Returns the places that overlap no earlier place. */
function apart(places: readonly Span[]): readonly Span[] {
  let end = 0;
  return places.filter((place) => {
    if (place.start < end) return false;
    ({ end } = place);
    return true;
  });
}
