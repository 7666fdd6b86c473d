import { execFileSync, spawnSync } from 'node:child_process';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const INSTALL = ['install', '-y', '-qq', '--no-install-recommends', 'chromium'];

/**
 * Finds a Chromium: `CONV_CHROMIUM`, then the usual names on `PATH`. As root on a system with apt it installs one. Throws with
 * what to install when there is none.
 *
 * @returns {{ path: string, version: string }}
 */
export function findBrowser() {
  const named = process.env.CONV_CHROMIUM;
  const found = (named ? [named] : NAMES).flatMap((name) => probe(name) ?? [])[0] ?? (named ? undefined : installed());
  if (found) return found;
  throw new Error(
    named
      ? `CONV_CHROMIUM names ${named}, which does not run.`
      : 'No Chromium found. Install the package chromium (Debian), or name a Chromium or Chrome in CONV_CHROMIUM.',
  );
}

function installed() {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () =>
    // Another program may be installing something else.
    execFileSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...INSTALL], { env, stdio: 'pipe' });
  try {
    install();
  } catch {
    // A system whose lists are old or empty knows no package.
    execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'pipe' });
    install();
  }
  return probe('chromium');
}

function probe(name) {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const path = spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim();
  return { path: path || name, version: stdout.trim() };
}
