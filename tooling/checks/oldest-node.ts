import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oldest } from '../bootstrap/node.mjs';
import { type Package, publicPackages } from './packages.ts';

/** Options of the compiler that say which names a program may use. */
const OF_NAMES = ['lib', 'target', 'types'] as const;

/**
 * Problems that let a name through that the oldest Node lacks. The compiler refuses such names, because it knows the library of the language and the
 * types of Node as that Node has them. So no published package is built with other ones, and dependencies run on that Node, too.
 */
export function oldestNodeProblems(root: string): readonly string[] {
  const settings = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const [types = 'none'] = /(?<=^ *'@types\/node': ).*$/m.exec(settings) ?? [];
  const [node = 'none'] = /(?<=^nodeVersion: ).*$/m.exec(settings) ?? [];
  const file = 'pnpm-workspace.yaml';
  const rules: readonly (readonly [boolean, string])[] = [
    [
      types.startsWith(oldest.replace(/\d+$/, '')),
      `${file}: expected @types/node of Node ${oldest}, found ${types}; the compiler refuses by them what this Node lacks`,
    ],
    [node === oldest, `${file}: expected nodeVersion: ${oldest}, found ${node}; by it pnpm refuses dependencies`],
    [/^engineStrict: true$/m.test(settings), `${file}: expected engineStrict: true, found none; pnpm would only warn`],
  ];
  return [
    ...rules.flatMap(([holds, problem]) => (holds ? [] : [problem])),
    ...publicPackages(root).flatMap((each) => libraryProblems(root, each)),
  ];
}

function libraryProblems(root: string, { dir }: Package): readonly string[] {
  const file = join(dir, 'tsconfig.build.json');
  if (!existsSync(join(root, file))) return [];
  const { compilerOptions = {} } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
    readonly compilerOptions?: Readonly<Record<string, unknown>>;
  };
  return OF_NAMES.filter((name) => name in compilerOptions).map(
    (name) => `${file}: expected no ${name}, found one; that of tsconfig.base.json has what Node ${oldest} has`,
  );
}
