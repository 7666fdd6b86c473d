import process from 'node:process';

import { paletteFor } from './palette.ts';

/** Writes a line of results to standard output. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Writes a line about what goes on to standard error, so that standard output stays what was asked for. */
export function note(line: string): void {
  // a status line may stand where it goes
  const start = process.stderr.isTTY ? '\r\u001b[J' : '';
  process.stderr.write(`${start}${paletteFor(process.stderr).dim(line)}\n`);
}

/** Writes a line about something that people should not miss. */
export function warn(line: string): void {
  const color = paletteFor(process.stderr);
  process.stderr.write(`${color.yellow('warning:')} ${line}\n`);
}

/** How this program is called from where it was started. */
export function invocation(args: string): string {
  return process.env['npm_command'] === undefined ? `conv ${args}` : `npm run demo -- ${args}`;
}

/** Text of others in one line, without what a terminal would obey. */
export function plain(text: string, limit: number): string {
  const safe = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return safe.length <= limit ? safe : `${safe.slice(0, Math.max(0, limit - 1)).toWellFormed()}…`;
}
