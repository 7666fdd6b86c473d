import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { serverProgram } from '@conv/agent-server';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../bootstrap/process.mjs';
import { allPackages, publicPackages } from '../checks/packages.ts';

const REPORTER = new URL('report-loaded.mjs', import.meta.url).href;
const run = promisify(execFile);
const packages = publicPackages(root);

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-loaded-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The packages of which a process with these arguments loads anything, sorted. */
async function loadedBy(...args: readonly string[]): Promise<readonly string[]> {
  const file = join(await temporaryFolder(), 'loaded.json');
  // the server program starts itself anew and hands on no other variables than those of Node
  const environment = { PATH: process.env['PATH'], NODE_LOADED_MODULES: file };
  await run(process.execPath, ['--import', REPORTER, ...args], { cwd: root, env: environment });
  const urls = (JSON.parse(await readFile(file, 'utf8')) as string[]).filter((url) => url.startsWith('file:'));
  return [...new Set(urls.flatMap((url) => packageOf(fileURLToPath(url)) ?? []))].toSorted();
}

function packageOf(path: string): string | undefined {
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  const [, folder] = /^((?:packages|apps|testing)\/[^/]+)\/dist\//.exec(path.slice(root.length + 1)) ?? [];
  return name ?? allPackages(root).find(({ dir }) => dir === folder)?.name;
}

/** The packages that the import of an entry point loads. */
function loadedWith(specifier: string): Promise<readonly string[]> {
  return loadedBy('--input-type=module', '--eval', `await import(${JSON.stringify(urlOf(specifier))})`);
}

function urlOf(specifier: string): string {
  for (const { dir, name, manifest } of packages)
    for (const [subpath, target] of Object.entries(manifest.exports ?? {}))
      if (typeof target === 'object' && name + subpath.slice(1) === specifier)
        return pathToFileURL(join(root, dir, target['default'] ?? '')).href;
  throw new Error(`expected an entry point of a public package, found ${specifier}`);
}

const CORE = ['@conv/core', 'zod'];
const LOCAL = ['@conv/core', '@conv/local', '@conv/openhands', 'zod'];

test.each([
  ['@conv/core', CORE],
  ['@conv/core/events', CORE],
  ['@conv/core/store', CORE],
  ['@conv/core/tool', CORE],
  ['@conv/local', LOCAL],
  ['@conv/persist-fs', ['@conv/core', '@conv/openhands', '@conv/persist-fs', '@conv/store-kit', 'zod']],
  ['@conv/persist-sqlite', ['@conv/core', '@conv/persist-sqlite', '@conv/store-kit', 'zod']],
  [
    '@conv/agent',
    ['@ai-sdk/provider', '@conv/agent', '@conv/core', '@conv/egress', '@conv/openhands', 'ignore', 'unbash', 'zod'],
  ],
  [
    '@conv/server',
    ['@conv/core', '@conv/egress', '@conv/local', '@conv/openhands', '@conv/server', '@conv/store-kit', 'zod'],
  ],
])('importing %s loads the packages that it always needs, and no other', async (specifier, expected) => {
  expect(await loadedWith(specifier)).toEqual(expected);
});

const CONV = fileURLToPath(new URL('dist/main.js', import.meta.resolve('@conv/cli/package.json')));

test('the help of the programs loads the command line alone', async () => {
  expect(await loadedBy(CONV, '--help')).toEqual(['@conv/cli', '@conv/stores', 'commander']);
  expect(await loadedBy(serverProgram, '--help')).toEqual(['@conv/agent-server', 'commander']);
});

test('a command about a folder loads its store, and no other store, vault, agent or client of servers', async () => {
  const loaded = await loadedBy(CONV, 'list', '--dir', await temporaryFolder());
  expect(loaded.filter((name) => name.startsWith('@conv/'))).toEqual([
    '@conv/cli',
    '@conv/core',
    '@conv/openhands',
    '@conv/persist-fs',
    '@conv/store-kit',
    '@conv/stores',
    '@conv/visualize',
  ]);
});

test('each source of a public package is in one file of its build, so that a class is always the same', async () => {
  const places = new Map<string, string[]>();
  for (const { dir } of packages) {
    // the build for browsers stands alone, and is never loaded beside the other one
    for (const file of globSync('dist/**/*.js.map', { cwd: join(root, dir), exclude: ['dist/browser/**'] })) {
      const { sources } = JSON.parse(await readFile(join(root, dir, file), 'utf8')) as { sources: readonly string[] };
      for (const source of sources.filter((name) => name.endsWith('.ts'))) {
        const path = join(root, dir, dirname(file), source);
        places.set(path, [...(places.get(path) ?? []), file]);
      }
    }
  }
  const missing = [...places.keys()].filter((path) => !existsSync(path));
  const repeated = [...places].filter(([, files]) => files.length > 1);
  expect({ missing, repeated }).toEqual({ missing: [], repeated: [] });
  expect(places.size).toBeGreaterThan(30 * packages.length);
});
