import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../bootstrap/process.mjs';
import { fillRoot, take } from './fill-root.mjs';
import { neededLibraries } from './needed-libraries.mjs';

/** The user of OpenHands' images. */
const USER = 10001;

/** The environment of Python in OpenHands' images. */
const ENVIRONMENT = '/agent-server/.venv';

/** Folders of a Python that no server reads. */
const UNREAD = ['test', 'idlelib', 'turtledemo', 'ensurepip'];

/**
 * Builds an image with OpenHands' agent server from the environment of the interop checks, which is made if missing, and from this
 * machine's files. Throws if that environment cannot be made.
 *
 * @param {{ engine: string, tag: string }} how
 */
export function buildOpenHands({ engine, tag }) {
  execFileSync(process.execPath, [join(root, 'tooling/interop/setup.mjs')], { stdio: ['ignore', 'inherit', 'pipe'] });
  const environment = join(root, '.cache/interop/venv');
  const python = join(environment, 'bin/python');
  const [base = '', version = ''] = execFileSync(
    python,
    ['-c', 'import sys; print(sys.base_prefix, "python%d.%d" % sys.version_info[:2])'],
    { encoding: 'utf8' },
  ).split(/\s/);
  const folder = mkdtempSync(join(process.env['CONV_IMAGE_FOLDER'] ?? tmpdir(), 'conv-openhands-'));
  try {
    const system = join(folder, 'root');
    mkdirSync(system);
    fillRoot(system, []);
    // Python looks for its library beside the place from which it was installed
    const library = join(base, 'lib', version);
    copy(library, system);
    for (const name of UNREAD) rmSync(join(system, library, name), { recursive: true, force: true });
    copy(join(base, 'bin', version), system);
    copy(join(environment, 'lib'), system, join(ENVIRONMENT, 'lib'));
    mkdirSync(join(system, ENVIRONMENT, 'bin'));
    symlinkSync(join(base, 'bin', version), join(system, ENVIRONMENT, 'bin/python'));
    appendFileSync(join(system, ENVIRONMENT, 'pyvenv.cfg'), `home = ${join(base, 'bin')}\n`);
    const libraries = librariesOf([join(base, 'bin', version), ...nativeParts(library), ...nativeParts(environment)]);
    for (const file of libraries) if (!file.startsWith(environment)) take(file, system, { follow: true });
    symlinkSync('catatonit', join(system, 'usr/bin/tini'));
    appendFileSync(join(system, 'etc/passwd'), `openhands:x:${USER}:${USER}::/home/openhands:/bin/bash\n`);
    appendFileSync(join(system, 'etc/group'), `openhands:x:${USER}:\n`);
    for (const name of ['home/openhands', 'workspace/project']) mkdirSync(join(system, name), { recursive: true });
    const containerfile = join(root, 'tooling/image/OpenHands.containerfile');
    execFileSync(engine, ['build', '--quiet', '--file', containerfile, '--tag', tag, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Copies a file or folder to its path in the system, or to another one, as links to the same files where it can.
 *
 * @param {string} path
 * @param {string} system
 * @param {string} to
 */
function copy(path, system, to = path) {
  const target = join(system, to);
  mkdirSync(dirname(target), { recursive: true });
  try {
    execFileSync('cp', ['--archive', '--link', path, target], { stdio: 'pipe' });
  } catch {
    // another disk
    rmSync(target, { recursive: true, force: true });
    execFileSync('cp', ['--archive', path, target]);
  }
}

/** @param {string} folder */
function nativeParts(folder) {
  const files = readdirSync(folder, { encoding: 'utf8', recursive: true });
  return files.filter((file) => /\.so(?:\.|$)/.test(file)).map((file) => join(folder, file));
}

/**
 * Returns the libraries that these files load. A part of a package may need a library that the package brings elsewhere; that is left out.
 *
 * @param {readonly string[]} files
 * @returns {ReadonlySet<string>}
 */
function librariesOf(files) {
  const found = new Set();
  for (const file of files) {
    try {
      for (const library of neededLibraries([file])) found.add(library);
    } catch {
      // no program of this machine, or one with parts of its own package
    }
  }
  return found;
}
