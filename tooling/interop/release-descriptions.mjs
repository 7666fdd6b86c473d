import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PIP } from './install-packages.mjs';
import { DEFAULT_FOLDER } from './setup.mjs';
import { compareVersions, PINNED } from './releases.mjs';
import { PACKAGES, pipPython, setupRelease } from './setup-release.mjs';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('describe_release.py', import.meta.url));
/** Descriptions by this program. Another program describes releases again. */
const FOLDER = join(
  dirname(DEFAULT_FOLDER),
  'releases',
  createHash('sha256').update(readFileSync(PROGRAM)).digest('hex').slice(0, 8),
);
const BUFFER = { maxBuffer: 256 << 20 };

/** Resolves with the versions of all releases that the package index has for this Python. Rejects if it does not answer. */
export async function releasesOfIndex(log) {
  const args = ['-m', 'pip', 'index', 'versions', '--disable-pip-version-check', PACKAGES[1]];
  const { stdout } = await run(await pipPython(log), args, BUFFER);
  const versions = stdout.match(/^Available versions: (.*)$/m)?.[1].split(', ') ?? [];
  if (versions.length > 0) return versions;
  throw new Error(`expected versions of ${PACKAGES[1]} at the package index, found none in: ${stdout.trim()}`);
}

/**
 * Resolves with the last release of each minor version from one release to another, both of them included, in order: a fix of a release
 * is told with it.
 */
export async function releasesBetween(from, to, log) {
  const between = (await releasesOfIndex(log))
    .filter((version) => compareVersions(version, from) >= 0 && compareVersions(version, to) <= 0)
    .toSorted(compareVersions);
  const minor = (version = '') => version.split('.').slice(0, 2).join('.');
  return between.filter((version, index) => version === from || minor(version) !== minor(between[index + 1]));
}

/**
 * Resolves with the descriptions of releases, by version. Their own packages alone are fetched, and imported with the dependencies of the
 * newest release or of the pinned release, so that each costs seconds; a description is made once.
 */
export async function describeReleases(versions, log) {
  const missing = versions.filter((version) => !existsSync(join(FOLDER, `${version}.json`)));
  if (missing.length > 0) await describe(missing, log);
  const read = async (version) => JSON.parse(await readFile(join(FOLDER, `${version}.json`), 'utf8'));
  return new Map(await Promise.all(versions.map(async (version) => [version, await read(version)])));
}

async function describe(versions, log) {
  const environments = [await setupRelease('newest', { log }), await setupRelease(PINNED, { log })];
  const [{ python }] = environments;
  const folders = versions.map((version) => join(FOLDER, version));
  for (const version of versions) {
    const wanted = PACKAGES.map((name) => `${name}==${version}`);
    const target = ['--no-deps', '--no-compile', '--target', join(FOLDER, version)];
    await rm(join(FOLDER, version), { recursive: true, force: true });
    await run(python, [...PIP, ...target, ...wanted], BUFFER);
    log(`fetched: ${version}`);
  }
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  let left = folders;
  let failures = '';
  // Early releases run only with dependencies of their time.
  for (const environment of environments) {
    if (left.length > 0) failures = (await run(environment.python, [PROGRAM, ...left], { env, ...BUFFER })).stderr;
    left = left.filter((folder) => !existsSync(`${folder}.json`));
  }
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  if (left.length > 0) throw new Error(`expected to import the releases in ${left.join(', ')}, found\n${failures}`);
}
