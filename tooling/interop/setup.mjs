#!/usr/bin/env node
/**
 * Installs the Python reference (openhands-sdk, openhands-agent-server, openhands-tools 1.43.1, all dependencies pinned
 * in `requirements.txt`) into a virtual environment of its own. Run again it returns at once.
 *
 *     node tooling/interop/setup.mjs [FOLDER] [--requirements FILE] [--found-only]
 *
 * The default folder is <repository>/.cache/interop/venv. `--requirements` names other pinned packages of OpenHands. With `--found-only`
 * no Python is installed where none is found.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { findPython } from './find-python.mjs';
import { installPackages } from './install-packages.mjs';

const run = promisify(execFile);
const HERE = dirname(fileURLToPath(import.meta.url));
const REQUIREMENTS = join(HERE, 'requirements.txt');

const VERSIONS = `import sys
from importlib.metadata import version
names = ("openhands-sdk", "openhands-agent-server", "openhands-tools")
print(", ".join(["python " + sys.version.split()[0], *(name + " " + version(name) for name in names)]))`;

/** Where the environment lives unless told otherwise; `.cache/` is not in git. */
export const DEFAULT_FOLDER = resolve(HERE, '../../.cache/interop/venv');

/**
 * Resolves with the path of the environment's Python, complete with the reference. Rejects when no Python >= 3.12 can be
 * had or an installation step fails; the next call then starts over.
 *
 * @param {{ folder?: string, requirements?: string, foundOnly?: boolean, log?: (line: string) => void }} [options]
 * @returns {Promise<string>}
 */
export async function setup({
  folder = DEFAULT_FOLDER,
  requirements = REQUIREMENTS,
  foundOnly = false,
  log = () => {},
} = {}) {
  const python = pythonIn(folder);
  const stamp = join(folder, 'conv-interop.json');
  const lock = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  const done = existsSync(stamp) && existsSync(python) ? JSON.parse(await readFile(stamp, 'utf8')) : undefined;
  if (done?.lock === lock) {
    log(`reference: ${done.versions} in ${folder}, up to date`);
    return python;
  }
  await install(folder, python, { requirements, foundOnly, log });
  const versions = await installedVersions(python);
  // Written last: without it an interrupted installation is never taken for a whole one.
  await writeFile(stamp, JSON.stringify({ lock, versions }));
  log(`reference: ${versions}`);
  return python;
}

/** Returns the path of an environment's Python. */
export function pythonIn(folder) {
  return join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
}

async function install(folder, python, { requirements, foundOnly, log }) {
  const base = findPython({ foundOnly });
  log(`python: ${base.version} (${base.path})`);
  await mkdir(dirname(folder), { recursive: true });
  await run(base.path, ['-m', 'venv', '--clear', folder]);
  log(`environment: ${folder}`);
  const started = Date.now();
  await installPackages(python, ['--no-deps', '-r', requirements], log);
  const count = (await readFile(requirements, 'utf8')).split('\n').filter((line) => line.includes('==')).length;
  log(`packages: ${count} installed in ${Math.round((Date.now() - started) / 1000)} s`);
  // Compile here what is used, once: the processes of the checks start at the same time, and each would do it.
  await run(python, ['-c', 'import openhands.agent_server.api, openhands.tools'], { maxBuffer: 64 << 20 });
}

/** Resolves with the versions that an environment holds, as one line. pip wrote them down; importing takes ten seconds of processor. */
export async function installedVersions(python) {
  const { stdout } = await run(python, ['-c', VERSIONS]);
  return stdout.trim();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const options = { requirements: { type: 'string' }, 'found-only': { type: 'boolean', default: false } };
  const { positionals, values } = parseArgs({ options, allowPositionals: true });
  const folder = positionals[0] === undefined ? DEFAULT_FOLDER : resolve(positionals[0]);
  const requirements = values.requirements === undefined ? REQUIREMENTS : resolve(values.requirements);
  try {
    await setup({
      folder,
      requirements,
      foundOnly: values['found-only'],
      log: (line) => process.stdout.write(`${line}\n`),
    });
  } catch (error) {
    process.stderr.write(`${error.stderr || error.message}\n`);
    process.exitCode = 1;
  }
}
