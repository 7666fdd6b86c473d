import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const CORPUS = join(import.meta.dirname, '../../../packages/agent/test/security/corpus');

/** Commands of all parts of the corpus by which the analyzer of the agent package is measured. */
export async function labelledCommands(): Promise<readonly string[]> {
  const parts = (await readdir(CORPUS)).filter((name) => name.endsWith('.tsv'));
  const texts = await Promise.all(parts.map((name) => readFile(join(CORPUS, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) throw new RangeError(`no labelled commands in ${CORPUS}`);
  return lines.map((line) => (line.split('\t')[3] ?? '').replaceAll('␤', '\n').replaceAll('/home/dev', homedir()));
}
