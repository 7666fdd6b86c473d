import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root as ownRoot } from '../../bootstrap/process.mjs';
import { run } from '../command.ts';
import { publicPackages } from '../packages.ts';
import type { Row } from './table.ts';

interface Candidate {
  readonly row: Row;
  readonly name: string;
  readonly code: string;
}

/**
 * The names of ours that exist in none of their row's entries. The compiler is asked, on one line per possible reading
 * of a name: it knows types, inherited members and properties of options, which an import at run time does not show.
 */
export async function missingNames(
  root: string,
  document: string,
  rows: readonly Row[],
  entries: ReadonlySet<string>,
): Promise<readonly string[]> {
  const candidates = rows.flatMap((row) =>
    row.ours.flatMap((name) =>
      row.entries
        .filter((entry) => entries.has(entry))
        .flatMap((entry) => readings(entry, name).map((code): Candidate => ({ row, name, code }))),
    ),
  );
  if (candidates.length === 0) return [];
  const failing = await failingLines(
    root,
    candidates.map(({ code }) => code),
  );
  if (failing === undefined) return ['the compiler did not refuse a name that cannot exist: no name was checked'];
  const found = new Set(candidates.filter((_each, index) => !failing.has(index + 1)).map(keyOf));
  const missing = candidates.filter((each) => !found.has(keyOf(each)));
  const once = new Map(missing.map((each) => [keyOf(each), each]));
  return [...once.values()].map(
    ({ row, name }) => `${document}:${row.line} names ${name}, which is not in ${row.entries.join(', ')}`,
  );
}

function keyOf({ row, name }: Candidate): string {
  return `${row.line} ${name}`;
}

/** `Name`, `Name.member.member`, `Name 'literal'`; calls may be written as such: `Name.member()`. */
function readings(entry: string, name: string): readonly string[] {
  const [, path = '', literal] = /^([\w.]+)(?:\([^)]*\))?(?: ('[^']*'))?$/.exec(name) ?? [];
  const [first, ...members] = path.split('.');
  if (first === undefined || first === '') return [`type Unreadable = never['not a name'];`];
  const from = `import('${entry}').${first}`;
  if (literal !== undefined)
    return [`export const value: ${from} = ${literal};`.replace('const value', `const ${unique()}`)];
  const types = [from, `${from}<any>`, `${from}<any, any>`, `${from}<any, any, any>`, `typeof ${from}`];
  const made = [`ReturnType<typeof ${from}>`, `Awaited<ReturnType<typeof ${from}>>`, `Parameters<typeof ${from}>[0]`];
  const bases = members.length > 0 ? [...types, ...made] : types;
  const access = (base: string): string =>
    members.reduce((type, member) => `NonNullable<${type}>['${member}']`, `(${base})`);
  return bases.map((base) => `export type ${unique()} = ${access(base)};`);
}

let count = 0;
function unique(): string {
  count += 1;
  return `Name${count}`;
}

/** A line that must be refused; when it is not, the compiler never came to look at the names. */
const impossible = "export type Impossible = import('@conv/no-such-package').NoSuchName;";

/** Compiles one statement per line; answers with the lines the compiler refused, `undefined` if it looked at none. */
async function failingLines(root: string, statements: readonly string[]): Promise<ReadonlySet<number> | undefined> {
  const dir = join(root, '.cache/seed-names');
  rmSync(dir, { recursive: true, force: true });
  for (const each of publicPackages(root)) {
    const path = join(dir, 'node_modules', each.name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(root, each.dir), path);
  }
  writeFileSync(join(dir, 'package.json'), '{ "name": "names", "private": true, "type": "module" }\n');
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['names.ts'] }));
  writeFileSync(join(dir, 'names.ts'), `${[...statements, impossible].join('\n')}\n`);
  const { output } = await run(join(ownRoot, 'node_modules/.bin/tsc'), ['-p', dir, '--pretty', 'false'], dir);
  const failing = new Set([...output.matchAll(/^names\.ts\((\d+),/gm)].map(([, line]) => Number(line)));
  return failing.has(statements.length + 1) ? failing : undefined;
}
