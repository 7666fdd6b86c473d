import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, type Package } from './packages.ts';

/** The names that a package may export, over all its entries together; types count, and the namespaces of `export * as` count as one name each. */
const MOST_NAMES = 180;

/** Core has the contracts of all others. */
const MOST_NAMES_OF_CORE = 270;

/** The names that the entries of a package export. An entry lists its names, so its text says them. */
export function exportedNames(root: string, each: Package): ReadonlySet<string> {
  const entries = entriesOf(each).map(({ source }) => join(root, each.dir, source));
  return new Set(entries.filter((file) => existsSync(file)).flatMap((file) => namesIn(readFileSync(file, 'utf8'))));
}

/** Returns the problem of a package that exports more names than it may. */
export function nameProblems(root: string, each: Package): readonly string[] {
  const { size } = exportedNames(root, each);
  const most = each.name === '@conv/core' ? MOST_NAMES_OF_CORE : MOST_NAMES;
  if (size === 0) return ['its entries list no exported name'];
  if (size <= most) return [];
  return [
    `its entries export ${size} names together, at most ${most} are allowed: remove or join names before adding one`,
  ];
}

function namesIn(text: string): readonly string[] {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) => names.split(','));
  const declared = [...text.matchAll(/^export (?:const|function|class|interface|type) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
  const spaces = [...text.matchAll(/^export \* as (\w+)/gm)].map(([, name = '']) => name);
  const listed = lists.map((name) => name.trim().split(' ').at(-1) ?? '');
  return [...listed, ...declared, ...spaces].filter((name) => name !== '');
}
