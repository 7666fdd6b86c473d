import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicPackages, entriesOf } from './packages.ts';
import { type Report, runCheck } from './report.ts';
import { missingNames } from './seed-names/resolve.ts';
import { type Row, rowsOf } from './seed-names/table.ts';

const document = 'docs/seed-api.md';

/**
 * Checks docs/seed-api.md: every name of seed-names.txt has a row, every name of ours in it exists where the row says
 * (functions and classes as well as types and members of types), and what is absent has a reason.
 */
export async function checkSeedNames(root: string): Promise<Report> {
  const names = seedNames(readFileSync(join(import.meta.dirname, 'seed-names.txt'), 'utf8'));
  const file = join(root, document);
  const rows = existsSync(file) ? rowsOf(readFileSync(file, 'utf8')) : [];
  const entries = new Set(
    publicPackages(root)
      .flatMap(entriesOf)
      .map(({ specifier }) => specifier),
  );
  const wanted = new Set(names.map(({ document: of, name }) => keyOf(of, name)));
  const given = rows.map((row) => keyOf(row.document, row.name));
  const problems = [
    ...[...wanted].filter((key) => !given.includes(key)).map((key) => `${document}: no row for ${key}`),
    ...given.filter((key) => !wanted.has(key)).map((key) => `${document}: ${key} is not in seed-names.txt`),
    ...given.filter((key, index) => given.indexOf(key) !== index).map((key) => `${document}: two rows for ${key}`),
    ...rows.flatMap((row) => rowProblems(row, entries)),
    ...(await missingNames(root, document, rows, entries)),
  ];
  const present = rows.filter(({ ours }) => ours.length > 0).length;
  return { saw: { names: names.length, rows: rows.length, 'names of ours': present }, problems };
}

/** The sections of the list: a `##` heading is a document, the lines below it are its names. */
export function seedNames(text: string): readonly { document: string; name: string }[] {
  let current = '';
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) current = line.slice(3).trim();
    return line === '' || line.startsWith('#') ? [] : [{ document: current, name: line.trim() }];
  });
}

function rowProblems(row: Row, entries: ReadonlySet<string>): readonly string[] {
  const at = `${document}:${row.line}`;
  if (row.ours.length > 0) {
    if (row.entries.length === 0) return [`${at} says no package for ${row.name}`];
    // the words may name a future package, but the names must be in an existing package
    if (row.entries.some((entry) => entries.has(entry))) return [];
    return row.entries.map((entry) => `${at} names ${entry}, which is no entry`);
  }
  return row.reason.length >= 10 ? [] : [`${at} has neither a name of ours nor a reason for ${row.name}`];
}

/** Code marks and runs of spaces make no difference. */
function keyOf(of: string, name: string): string {
  return `${of}: ${name}`.replace(/[`\\]/g, '').replace(/\s+/g, ' ').trim();
}

if (import.meta.main) await runCheck('names of the documented API', checkSeedNames);
