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

const { Installations } = await import('../src/installations.ts');
const load = async (directory: string): Promise<{ readonly name: string }> => ({ name: basename(directory) });
await new Installations({ folder, load }).install({ source }, { force: true });
