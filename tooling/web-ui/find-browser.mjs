import { spawnSync } from 'node:child_process';
import { installPackage } from '../bootstrap/install-package.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * Finds a Chromium: `CONV_CHROMIUM`, then the usual names on `PATH`. As root on a system with apt it installs one. Throws with
 * what to install when there is none.
 *
 * @returns {{ path: string, version: string }}
 */
export function findBrowser() {
  const named = process.env.CONV_CHROMIUM;
  const found =
    (named ? [named] : NAMES).flatMap((name) => probe(name) ?? [])[0] ??
    (!named && installPackage('chromium') ? probe('chromium') : undefined);
  if (found) return found;
  throw new Error(
    named
      ? `CONV_CHROMIUM names ${named}, which does not run.`
      : 'No Chromium found. Install the package chromium (Debian), or name a Chromium or Chrome in CONV_CHROMIUM.',
  );
}

function probe(name) {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const path = spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim();
  return { path: path || name, version: stdout.trim() };
}
