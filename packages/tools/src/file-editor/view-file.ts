import { text } from '@conv/core/tool';
import type { ContentPart } from '@conv/core/events';

import { Refusal } from './refusal.ts';
import { linesOf, numberLines } from './snippet.ts';
import type { DecodedText } from './text-file.ts';

/** Maximum size of a shown image: an event stays below 1 MiB, and base64 adds a third. */
const MOST_IMAGE_BYTES = 720_000;

/** Returns a text with line numbers, whole or a range. `shown` is the masked text, line for line. */
export function viewText(
  path: string,
  { text: content, encoding }: DecodedText,
  shown: string,
  range: readonly number[] | undefined,
): string {
  const lines = linesOf(shown);
  const [first, last] = range ? checkRange(path, range, lines.length) : [1, lines.length];
  const about = [
    count(lines.length, 'line'),
    ...(encoding === 'utf-8' ? [] : [encoding]),
    ...(content.includes('\r\n') ? ['CRLF'] : []),
  ];
  const title = `${path} (${about.join(', ')}):`;
  if (lines.length === 0) return `${title}\n(empty)`;
  const part = numberLines(lines, first, last);
  const rest =
    part.last < last ? `\n[Too long to show as a whole. Continue with view_range [${part.last + 1}, ${last}].]` : '';
  return `${title}\n${part.text}${rest}`;
}

function checkRange(path: string, range: readonly number[], lines: number): readonly [number, number] {
  const [first, last] = range;
  if (range.length !== 2 || first === undefined || last === undefined)
    throw new Refusal('view_range takes two numbers: the first and the last line.');
  if (first < 1 || first > Math.max(lines, 1))
    throw new Refusal(`view_range starts at ${first}, but ${path} has lines 1 to ${lines}.`);
  if (last !== -1 && last < first) throw new Refusal(`view_range ends at ${last}, before its start ${first}.`);
  return [first, last === -1 ? lines : Math.min(last, lines)];
}

/** Returns an image as the model sees it. Throws {@link Refusal} for an image that is too large for an event. */
export function viewImage(path: string, type: string, bytes: Buffer): readonly ContentPart[] {
  if (bytes.length > MOST_IMAGE_BYTES)
    throw new Refusal(
      `${path} is an image of ${bytes.length} bytes; at most ${MOST_IMAGE_BYTES} can be shown. Make a smaller copy.`,
    );
  const url = `data:${type};base64,${bytes.toString('base64')}`;
  return [
    ...text(`${path} (${type}, ${bytes.length} bytes):`),
    { cache_prompt: false, type: 'image', image_urls: [url] },
  ];
}

/** Returns the start of a text with its line numbers. */
export function numbered(content: string): string {
  const lines = linesOf(content);
  return lines.length === 0 ? '(empty)' : numberLines(lines, 1, Math.min(lines.length, 60)).text;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
