import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vitest/config';

const here = dirname(import.meta.dirname);

const BUNDLER = new URL('../../../tooling/build/bundle-file.mjs', import.meta.url).href;

/** The program of a thread. */
const THREAD = 'src/database/database-worker.ts';

/** Holds the modules without their types. Below the package, where its dependencies are found. */
const folder = join(here, 'node_modules/.threads');

/**
 * Starts the threads of the tests from one module whose types were stripped once. Each thread would load Node's own stripper, which
 * takes more than half of its start, and the tests start thousands of threads.
 */
export function strippedThreads(): Plugin {
  const from = JSON.stringify(pathToFileURL(here).href);
  const to = JSON.stringify(pathToFileURL(folder).href);
  return {
    name: 'stripped threads',
    transform: (_, id) =>
      id === join(here, 'src/module-beside.ts')
        ? `export const moduleBeside = (url, path) => new URL(path + '.js', url.replace(${from}, ${to})).href;`
        : undefined,
  };
}

/** Writes the modules before the first test. They stay, because another run may use them. */
export async function setup(): Promise<void> {
  write('package.json', '{ "type": "module" }');
  // loading forty files takes each thread as long as all else that it does to start
  const { bundleFile } = (await import(BUNDLER)) as { readonly bundleFile: (input: string) => Promise<string> };
  write(THREAD.replace(/\.ts$/, '.js'), await bundleFile(join(here, THREAD)));
  for (const path of globSync(['src/**/*.ts', 'test/faulty-driver.ts'], { cwd: here })) {
    if (path === THREAD) continue;
    const stripped = stripTypeScriptTypes(readFileSync(join(here, path), 'utf8'));
    write(path.replace(/\.ts$/, '.js'), stripped.replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}

/** Writes a file as a whole, because a thread of another run may read it. */
function write(path: string, content: string): void {
  const file = join(folder, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return;
  mkdirSync(dirname(file), { recursive: true });
  const written = `${file}.${process.pid}`;
  writeFileSync(written, content);
  renameSync(written, file);
}
