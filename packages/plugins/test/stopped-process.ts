import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import process from 'node:process';

/**
 * A program that installs a source in a folder again, and ends before the new folder `one` comes to its place. Its arguments are the folder and the
 * source.
 */
const [folder = '', source = ''] = process.argv.slice(2);
const { rename } = fs.promises;
fs.promises.rename = async (from, to) => {
  if (to === join(folder, 'one')) process.exit(9);
  await rename(from, to);
};
syncBuiltinESMExports();

// as it is built, because the oldest Node does not know all words of the sources
const { Installations } = await import('@conv/plugins');
const load = async (directory: string): Promise<{ readonly name: string }> => ({ name: basename(directory) });
await new Installations({ folder, load }).install({ source }, { force: true });
