import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

/** The oldest Python the reference runs on. */
const MINIMUM = [3, 12];
/** Named first: the version `requirements.txt` was resolved with, then the other one it is known to install on. */
const NAMES = ['python3.13', 'python3.12', 'python3.14', 'python3', 'python'];

const PROBE = `import sys
try:
    import ensurepip, venv
    usable = 1
except ImportError:
    usable = 0
print("%d.%d.%d %d" % (*sys.version_info[:3], usable))`;

/**
 * Finds a Python that can make a virtual environment: `CONV_PYTHON`, the usual names on `PATH`, then pyenv's versions.
 * As root on a system with apt it may install one. Rejects with what to install when there is none.
 *
 * @param {{ foundOnly?: boolean }} [options] with `foundOnly` it installs none
 * @returns {{ path: string, version: string }}
 */
export function findPython({ foundOnly = false } = {}) {
  const found = candidates().flatMap((path) => probe(path) ?? []);
  const usable = found.find(({ canCreate }) => canCreate);
  if (usable) return usable;
  const installed = foundOnly ? undefined : installWithApt(found[0]);
  if (installed) return installed;
  const withoutVenv = found[0] ? ` ${found[0].path} (${found[0].version}) lacks its venv module.` : '';
  throw new Error(
    `No Python >= ${MINIMUM.join('.')} found.${withoutVenv} Install python3.13 and python3.13-venv (Debian, Ubuntu), ` +
      'python@3.13 (Homebrew) or `pyenv install 3.13`, or name one in CONV_PYTHON.',
  );
}

function candidates() {
  const named = process.env.CONV_PYTHON;
  if (named) return [named];
  // HOME may be another than the account's own.
  const homes = [homedir(), userInfo().homedir].map((home) => join(home, '.pyenv'));
  const roots = process.env.PYENV_ROOT ? [process.env.PYENV_ROOT, ...homes] : homes;
  const versions = roots.map((root) => join(root, 'versions')).find((folder) => existsSync(folder));
  const pyenv = versions ? readdirSync(versions).filter((name) => /^3\.1[2-9]\./.test(name)) : [];
  // Newest first would take an alpha over the version the lock was made with, so 3.13 leads here as well.
  pyenv.sort((a, b) => Number(b.startsWith('3.13.')) - Number(a.startsWith('3.13.')) || b.localeCompare(a));
  return [...NAMES, ...pyenv.map((name) => join(versions ?? '', name, 'bin', 'python'))];
}

function probe(path) {
  const { status, stdout } = spawnSync(path, ['-c', PROBE], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const [version, canCreate] = stdout.trim().split(' ');
  const [major, minor] = version.split('.').map(Number);
  if (major !== MINIMUM[0] || minor < MINIMUM[1]) return undefined;
  return { path, version, canCreate: canCreate === '1' };
}

function installWithApt(withoutVenv) {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return undefined;
  const wanted = withoutVenv ? [`python${withoutVenv.version.replace(/\.\d+$/, '')}`] : ['python3.13', 'python3.12'];
  for (const name of wanted) {
    const known = spawnSync('apt-cache', ['show', `${name}-venv`], { encoding: 'utf8' });
    if (known.status !== 0 || known.stdout === '') continue;
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['install', '-y', '-qq', name, `${name}-venv`], { env: environment, stdio: 'pipe' });
    const installed = probe(name);
    if (installed?.canCreate) return installed;
  }
  return undefined;
}
