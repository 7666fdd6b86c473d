import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Effects } from './effect.ts';

/** Root of the repository. */
export const ROOT: string = join(import.meta.dirname, '../../../../..');

/** The tests that a table names and that are not there, as file and title. Throws if it names no more than `most`, a table that says nothing. */
export function missingTests(table: Effects, most: number): readonly string[] {
  const shown = Object.values(table).flatMap((effects) =>
    Object.values(effects).filter((effect) => effect.kind !== 'noOp'),
  );
  const named = new Set(shown.map(({ file, test: title }) => `${file}\n${title}`));
  if (named.size <= most) throw new Error(`expected more than ${most} named tests, found ${named.size}`);
  return [...named].filter((name) => {
    const [file = '', title = ''] = name.split('\n');
    const path = join(ROOT, file);
    return title === '' || !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title}'`);
  });
}
