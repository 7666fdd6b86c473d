import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ROOT = resolve(import.meta.dirname, '../../../..');
const SOURCE = join(ROOT, 'apps/bench/peers');
const INSTALLED = join(ROOT, '.cache/peers');
const STAMP = join(INSTALLED, 'installed');
/** Packages of Python, by {@link pinnedVersions} and `python.ts`. */
export const PYTHON_LOCK: string = join(SOURCE, 'requirements.txt');
const FILES = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'load.mjs'];

/**
 * Installs the peers by their own lock file into `.cache/peers`. One of them compiles SQLite, which takes minutes on a slow machine.
 * Rejects with the output of pnpm when it fails; the next call then starts over.
 */
export async function installPeers(log: (line: string) => void): Promise<void> {
  log('installing the peers into .cache/peers, once; this takes minutes');
  await mkdir(INSTALLED, { recursive: true });
  for (const file of FILES) await copyFile(join(SOURCE, file), join(INSTALLED, file));
  // headers beside this Node let native packages compile without a download
  const node = dirname(dirname(process.execPath));
  const headers = existsSync(join(node, 'include/node')) ? { npm_config_nodedir: node } : {};
  await run(join(ROOT, 'node_modules/.bin/pnpm'), ['install', '--frozen-lockfile', '--reporter=append-only'], {
    cwd: INSTALLED,
    env: { ...process.env, ...headers },
    maxBuffer: 64 * 1024 * 1024,
  });
  await writeFile(STAMP, await digest());
}

/** True if the peers of this lock file are installed. */
export async function arePeersInstalled(): Promise<boolean> {
  return existsSync(STAMP) && (await readFile(STAMP, 'utf8')) === (await digest());
}

/** Resolves with the exports of a package among the peers; `Exports` is the part of them that an adapter uses. */
export async function loadPeer<Exports>(name: string): Promise<Exports> {
  const { load } = (await import(pathToFileURL(join(INSTALLED, 'load.mjs')).href)) as {
    readonly load: (name: string) => Promise<unknown>;
  };
  return (await load(name)) as Exports;
}

/** Resolves with the pinned version of each peer's package, by its name, those of Python included. */
export async function pinnedVersions(): Promise<Readonly<Record<string, string>>> {
  const { dependencies } = JSON.parse(await readFile(join(SOURCE, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const python = (await readFile(PYTHON_LOCK, 'utf8')).split('\n').flatMap((line): readonly [string, string][] => {
    const [name, version] = line.split('==');
    return name !== undefined && version !== undefined ? [[name, version]] : [];
  });
  return { ...Object.fromEntries(python), ...dependencies };
}

/** Files of the lock and the Node that native packages were compiled for. */
async function digest(): Promise<string> {
  const hash = createHash('sha256').update(process.versions.modules);
  for (const file of FILES) hash.update(await readFile(join(SOURCE, file)));
  return hash.digest('hex');
}
