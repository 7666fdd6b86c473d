import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { exportHtml } from '@conv/visualize';

import { CommandError } from '../command-error.ts';
import type { PlaceOptions } from '../conversation/place.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { readFrom } from '../server/read-there.ts';
import { amount } from '../terminal/amount.ts';
import { note, print } from '../terminal/output.ts';
import { reportDamage } from './show.ts';

/** Options of `export`. */
export interface ExportOptions extends PlaceOptions {
  readonly html: string;
}

/** Writes a conversation into one file of HTML, which opens in a browser without a network. Replaces the file. */
export async function exportCommand(id: string, options: ExportOptions): Promise<ExitCode> {
  await using read = await readFrom(options, id);
  const { state, events, past } = read;
  const html = await exportHtml({ id: read.id, state, events, history: past });
  const file = resolve(options.html);
  try {
    await writeFile(file, html);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(exitCodes.usage, `--html expects a file that can be written: ${reason}`, { cause: error });
  }
  note(`${amount(events.length, 'event')}, ${amount(Math.ceil(html.length / 1000), 'kilobyte')}`);
  print(file);
  return reportDamage(read);
}
