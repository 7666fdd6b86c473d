import process from 'node:process';

import { plainJson, plainLine, plainText } from '@conv/visualize/text';

import { paletteFor } from './palette.ts';

const ESCAPE = '\u001b';

/** The colours of this program's own palette: the only sequences that it lets through. */
const COLOR = new RegExp(`(${ESCAPE}\\[(?:[129]|2[0-9]|3[0-9]|9[0-7])m)`, 'u');

/** Lines that need no look, as most lines of a long list: printable ASCII, and the mark of a title that was cut. */
const HARMLESS = /^[ -~…]*$/;

/** Returns a line that is safe for a terminal: it keeps this program's colours and no other control sequence. */
export function safe(line: string): string {
  if (HARMLESS.test(line)) return line;
  return line
    .split(COLOR)
    .map((part) => (COLOR.test(part) ? part : plainText(part)))
    .join('');
}

/** Writes a line of results to standard output. */
export function print(line = ''): void {
  process.stdout.write(`${safe(line)}\n`);
}

/** Writes many lines of results to standard output at once, because each write is a call of the system. */
export function printLines(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${safe(line)}\n`).join(''));
}

/** Writes a value as JSON for programs, which a terminal may show as well. */
export function printJson(value: unknown): void {
  process.stdout.write(`${plainJson(JSON.stringify(value, null, 2))}\n`);
}

/** Writes a value as one line of JSON. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(`${plainJson(JSON.stringify(value))}\n`);
}

/** Writes a note to standard error, so that standard output holds only results. */
export function note(line: string): void {
  // a status line may stand where it goes
  const start = process.stderr.isTTY ? '\r\u001b[J' : '';
  process.stderr.write(`${start}${paletteFor(process.stderr).dim(safe(line))}\n`);
}

/** Writes a warning to standard error. */
export function warn(line: string): void {
  const color = paletteFor(process.stderr);
  process.stderr.write(`${color.yellow('warning:')} ${safe(line)}\n`);
}

/** Returns untrusted text on one line, without control sequences. */
export function plain(text: string, limit: number): string {
  const line = plainLine(text).replace(/\s+/gu, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, Math.max(0, limit - 1)).toWellFormed()}…`;
}
