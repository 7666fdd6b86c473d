import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root as ownRoot } from '../../bootstrap/process.mjs';
import { run } from '../command.ts';
import { allPackages } from '../packages.ts';
import type { CodeBlock } from './markdown.ts';

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: ['node'],
};

/** Compiles every block as a module of a project that sees all packages; the problems name the document's lines. */
export async function compileBlocks(root: string, blocks: readonly CodeBlock[]): Promise<readonly string[]> {
  if (blocks.length === 0) return [];
  const dir = join(root, '.cache/docs-check');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  linkDependencies(root, dir);
  writeFileSync(join(dir, 'package.json'), '{ "name": "documents", "private": true, "type": "module" }\n');
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['modules'] }));
  mkdirSync(join(dir, 'modules'));
  const sources = modules(blocks);
  for (const [index, { text }] of sources.entries()) writeFileSync(join(dir, 'modules', `${index}.ts`), text);
  const { output, status } = await run(join(ownRoot, 'node_modules/.bin/tsc'), ['-p', dir, '--pretty', 'false'], dir);
  if (status === 0) return [];
  const problems = output
    .trim()
    .replace(/^modules\/(\d+)\.ts\((\d+),\d+\): /gm, (_all, index: string, line: string) => {
      return `${sources[Number(index)]?.file}:${line} does not compile: `;
    });
  return problems.split('\n');
}

/** Makes a module of each block and its continuations; empty lines before a block keep the document's line numbers. */
function modules(blocks: readonly CodeBlock[]): readonly { file: string; text: string }[] {
  const made: { file: string; lines: string[] }[] = [];
  for (const { file, line, code, continues } of blocks) {
    const last = made.at(-1);
    const module = continues && last?.file === file ? last : { file, lines: [] };
    if (module !== last) made.push(module);
    while (module.lines.length < line - 1) module.lines.push('');
    module.lines.push(...code.split('\n'));
  }
  return made.map(({ file, lines }) => ({ file, text: `${lines.join('\n')}\nexport {};\n` }));
}

/** Links every package of the workspace and everything one of them depends on. */
export function linkDependencies(root: string, dir: string): void {
  const link = (name: string, target: string): void => {
    const path = join(dir, 'node_modules', name);
    if (existsSync(path) || !existsSync(target)) return;
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  for (const each of allPackages(root)) {
    link(each.name, join(root, each.dir));
    for (const name of installedIn(join(root, each.dir, 'node_modules'))) {
      link(name, join(root, each.dir, 'node_modules', name));
    }
  }
  link('@types/node', join(ownRoot, 'tooling/node_modules/@types/node'));
}

function installedIn(modulesDir: string): readonly string[] {
  if (!existsSync(modulesDir)) return [];
  return readdirSync(modulesDir).flatMap((name) => {
    if (name.startsWith('.')) return [];
    return name.startsWith('@') ? readdirSync(join(modulesDir, name)).map((child) => `${name}/${child}`) : [name];
  });
}
