import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findPython } from './find-python.mjs';
import { installPackages, PIP } from './install-packages.mjs';
import { compareVersions, PINNED } from './releases.mjs';
import { DEFAULT_FOLDER, installedVersions, pythonIn, setup } from './setup.mjs';

const run = promisify(execFile);
const CACHE = dirname(DEFAULT_FOLDER);
/** The packages of a release, all of one version. */
export const PACKAGES = ['openhands-sdk', 'openhands-agent-server', 'openhands-tools'];
/** The number of releases that are tried: a release may need a package that an index does not have yet. */
const TRIES = 5;

/**
 * Resolves with the Python of an environment that holds one release of OpenHands, and the version of the release. `newest` is the newest
 * release that installs. Without an index it is the newest release that was set up before. A release that was set up is there at once.
 *
 * @param {string} release
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<{ python: string, version: string }>}
 */
export async function setupRelease(release, { log = () => {} } = {}) {
  if (release === PINNED) return { python: await setup({ log }), version: PINNED };
  if (release !== 'newest') return setupVersion(release, log);
  let bound;
  let failure;
  for (let tries = 0; tries < TRIES; tries++) {
    const version = await newestBelow(bound, log);
    if (version === undefined) break;
    try {
      return await setupVersion(version, log);
    } catch (error) {
      failure = error;
      log(`reference: ${version} cannot be installed: ${reasonOf(error)}`);
      bound = version;
    }
  }
  throw failure ?? new Error('expected a release of OpenHands at the package index or in .cache/interop, found none');
}

async function setupVersion(version, log) {
  const folder = folderOf(version);
  const python = pythonIn(folder);
  if (existsSync(stampIn(folder)) && existsSync(python)) {
    const { versions } = JSON.parse(await readFile(stampIn(folder), 'utf8'));
    log(`reference: ${versions} in ${folder}, up to date`);
    return { python, version };
  }
  await makeEnvironment(folder, log);
  const started = Date.now();
  const wanted = PACKAGES.map((name) => `${name}==${version}`);
  await installPackages(python, wanted, log);
  log(`packages: ${version} installed in ${Math.round((Date.now() - started) / 1000)} s`);
  await run(python, ['-c', 'import openhands.agent_server.api, openhands.tools'], { maxBuffer: 64 << 20 });
  const versions = await installedVersions(python);
  await writeFile(stampIn(folder), JSON.stringify({ versions }));
  log(`reference: ${versions}`);
  return { python, version };
}

/** Resolves with the newest release of the index, or the newest below a bound. Without an index, looks at the releases that are set up. */
async function newestBelow(bound, log) {
  const wanted = bound === undefined ? PACKAGES[0] : `${PACKAGES[0]}<${bound}`;
  try {
    const python = await pipPython(log);
    const args = [...PIP, '--dry-run', '--ignore-installed', '--no-deps', '--report', '-', wanted];
    const { stdout } = await run(python, args, { maxBuffer: 64 << 20 });
    return JSON.parse(stdout).install[0].metadata.version;
  } catch (error) {
    log(`reference: the package index did not answer: ${reasonOf(error)}`);
    return (await versionsSetUp()).find((version) => bound === undefined || compareVersions(version, bound) < 0);
  }
}

async function versionsSetUp() {
  const names = existsSync(CACHE) ? await readdir(CACHE) : [];
  const versions = names.flatMap((name) => /^venv-(\d+\.\d+\.\d+)$/.exec(name)?.[1] ?? []);
  return versions.filter((version) => existsSync(stampIn(folderOf(version)))).toSorted((a, b) => compareVersions(b, a));
}

/** Resolves with the Python of an environment that has pip alone, because the Python that was found may have none. */
export async function pipPython(log) {
  const folder = join(CACHE, 'pip');
  if (!existsSync(pythonIn(folder))) await makeEnvironment(folder, log);
  return pythonIn(folder);
}

async function makeEnvironment(folder, log) {
  const base = findPython();
  log(`python: ${base.version} (${base.path}), environment: ${folder}`);
  await mkdir(dirname(folder), { recursive: true });
  await run(base.path, ['-m', 'venv', '--clear', folder]);
}

const folderOf = (version) => join(CACHE, `venv-${version}`);
// Written last: without it an interrupted installation is never taken for a whole one.
const stampIn = (folder) => join(folder, 'conv-interop.json');
const reasonOf = (error) =>
  String(error.stderr || error.message)
    .trim()
    .split('\n')
    .at(-1);
