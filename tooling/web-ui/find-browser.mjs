import { spawnSync } from 'node:child_process';
import { installPackage } from '../bootstrap/install-package.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Debian's Chromium without a window: it starts in a third of the processor time, and has no notifications. */
const SHELL = 'chromium-headless-shell';

/** Milliseconds in which a browser tells its version. A browser that hangs does not run. */
const LONGEST = 60_000;

/**
 * Finds a Chromium: `CONV_CHROMIUM`, then the usual names on `PATH`. With `shell` it prefers the headless shell, which CI installs
 * first. As root on a system with apt it installs one where it finds none. Throws with what to install when there is none.
 *
 * @param {{ shell?: boolean }} [options]
 * @returns {{ path: string, version: string }}
 */
export function findBrowser({ shell = false } = {}) {
  const named = process.env.CONV_CHROMIUM;
  if (named) return first([named]) ?? refuse(`CONV_CHROMIUM names ${named}, which does not run.`);
  const wanted = shell ? SHELL : 'chromium';
  const isInstalledFirst = shell && process.env.CONV_CI !== undefined;
  return first(isInstalledFirst ? [wanted] : [wanted, ...NAMES]) ?? installed(wanted);
}

/** @param {string} name */
function installed(name) {
  let cause;
  try {
    if (installPackage(name)) return first([name]) ?? refuse(`The package ${name} does not run.`);
  } catch (error) {
    cause = error;
  }
  const text = `No Chromium found. Install the package ${name} (Debian), or name a Chromium or Chrome in CONV_CHROMIUM.`;
  return first(NAMES) ?? refuse(text, cause);
}

/** @param {readonly string[]} names */
function first(names) {
  return names.flatMap((name) => probe(name) ?? [])[0];
}

/**
 * @param {string} text
 * @param {unknown} [cause]
 * @returns {never}
 */
function refuse(text, cause) {
  throw new Error(text, { cause });
}

function probe(name) {
  const limited = { encoding: 'utf8', timeout: LONGEST, killSignal: 'SIGKILL' };
  const { status, stdout } = spawnSync(name, ['--version'], limited);
  if (status !== 0) return undefined;
  const path = spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim();
  return { path: path || name, version: stdout.trim() };
}
