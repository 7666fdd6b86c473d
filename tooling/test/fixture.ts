import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes files into a new folder that goes when the test ends; an object is written as JSON. */
export function folderWith(files: Readonly<Record<string, string | object>>): string {
  const root = mkdtempSync(join(tmpdir(), 'conv-tooling-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return root;
}

/** Folders of the packages of a workspace, and what binds it to the oldest Node. */
export const workspaceSettings = `packages:
  - packages/*
  - 'apps/*'
  - docs

catalog:
  '@types/node': 22.19.0

nodeVersion: 22.19.0
engineStrict: true
`;

/** A workspace with one public package, `@conv/one`, in the shape every package has. */
export function workspaceWith(files: Readonly<Record<string, string | object>>): string {
  return folderWith({
    'pnpm-workspace.yaml': workspaceSettings,
    'package.json': { name: 'root', scripts: { test: 'x', lint: 'x' } },
    'packages/one/package.json': manifest,
    'packages/one/README.md': '# one\n',
    'packages/one/typedoc.json': '{ "entryPoints": ["src/index.ts"] }',
    'packages/one/tsconfig.json': {},
    'packages/one/tsconfig.build.json': {},
    'packages/one/vitest.config.ts': '',
    'packages/one/src/index.ts': "export { one } from './one.ts';\n",
    'packages/one/dist/index.d.ts': 'export declare class Box { readonly size: number; static of(): Box }\n',
    'packages/one/test/exports.test.ts':
      "import * as entry from '@conv/one';\nexpect(entry).toMatchInlineSnapshot();\n",
    ...files,
  });
}

/** The manifest of `@conv/one`. */
export const manifest = {
  name: '@conv/one',
  description: 'One.',
  license: 'MIT',
  type: 'module',
  sideEffects: false,
  files: ['dist', 'src', 'README.md', 'CHANGELOG.md'],
  exports: {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './package.json': './package.json',
  },
  publishConfig: { access: 'public' },
  scripts: { build: 'x', typecheck: 'x', test: 'x', 'check:package': 'x' },
  engines: { node: '>=22.19' },
};
