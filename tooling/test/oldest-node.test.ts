import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root as workspace } from '../bootstrap/process.mjs';
import { run } from '../checks/command.ts';
import { oldestNodeProblems } from '../checks/oldest-node.ts';
import { folderWith, workspaceSettings, workspaceWith } from './fixture.ts';

/** Names of the language, of the web and of modules of Node that came after the oldest Node. */
const LACKING = [
  'AsyncDisposableStack',
  'DisposableStack',
  'SuppressedError',
  'CloseEvent',
  'ErrorEvent',
  'Float16Array',
  'Temporal',
  'URLPattern',
  'navigator.locks',
  'Error.isError',
  'Math.sumPrecise',
  'Promise.try',
  'RegExp.escape',
  'Uint8Array.fromBase64',
  'new Map<string, string>().getOrInsert',
  'crypto.randomUUIDv7',
  'fs.mkdtempDisposable',
  "new DatabaseSync(':memory:', { defensive: true })",
];

/** Names that the oldest Node has. */
const THERE = [
  'Array.fromAsync',
  'Map.groupBy',
  'Promise.withResolvers',
  'Symbol.asyncDispose',
  'WebSocket',
  'fs.glob',
  'process.execve',
  "new DatabaseSync(':memory:', { readOnly: true })",
];

test('the compiler refuses names that the oldest Node lacks, and takes newer names that it has', async () => {
  const names = [...LACKING, ...THERE];
  const folder = folderWith({
    'tsconfig.json': {
      extends: join(workspace, 'tsconfig.base.json'),
      compilerOptions: { noEmit: true, typeRoots: [join(workspace, 'tooling/node_modules/@types')] },
      files: ['names.ts'],
    },
    'package.json': { type: 'module' },
    'names.ts': [
      ...names.map((name) => `void (${name});`),
      "import * as crypto from 'node:crypto';",
      "import * as fs from 'node:fs/promises';",
      "import process from 'node:process';",
      "import { DatabaseSync } from 'node:sqlite';",
    ].join('\n'),
  });
  const { output } = await run('tsc', ['-p', folder, '--singleThreaded', '--pretty', 'false'], folder);
  const lines = [...output.matchAll(/^names\.ts\((\d+),\d+\): error /gm)].map(([, line]) => Number(line));
  expect([...new Set(lines)].map((line) => names[line - 1] ?? output)).toEqual(LACKING);
});

test('a workspace whose compiler and whose dependencies are bound to the oldest Node has no problem', () => {
  expect(oldestNodeProblems(workspaceWith({}))).toEqual([]);
});

test('other types of Node, other libraries and settings that let newer dependencies in are named', () => {
  const root = workspaceWith({
    'pnpm-workspace.yaml': workspaceSettings
      .replace("'@types/node': 22.19", "'@types/node': 24.1")
      .replace('true', 'false'),
    'packages/one/tsconfig.build.json': { compilerOptions: { lib: ['esnext'], outDir: 'dist' } },
  });
  expect(oldestNodeProblems(root)).toEqual([
    expect.stringContaining('expected @types/node of Node 22.19.0, found 24.1.0'),
    expect.stringContaining('expected engineStrict: true, found none'),
    expect.stringContaining('packages/one/tsconfig.build.json: expected no lib, found one'),
  ]);
  expect(oldestNodeProblems(workspaceWith({ 'pnpm-workspace.yaml': 'packages:\n  - packages/*\n' }))).toEqual([
    expect.stringContaining('found none'),
    expect.stringContaining('expected nodeVersion: 22.19.0, found none'),
    expect.stringContaining('expected engineStrict: true, found none'),
  ]);
});
