/** The release that CI runs; its dependencies are pinned in `requirements.txt`. */
export const PINNED = '1.43.1';

/**
 * Reads a list of releases, such as `1.43.1,newest`. Throws for anything else.
 *
 * @param {string} list
 * @returns {string[]}
 */
export function parseReleases(list) {
  const releases = [...new Set(list.split(',').map((release) => release.trim()))];
  const wrong = releases.find((release) => !/^(\d+\.\d+\.\d+|newest)$/.test(release));
  if (wrong === undefined) return releases;
  throw new TypeError(
    `expected releases of OpenHands such as 1.43.1,newest, found ${JSON.stringify(wrong)}; give versions with three numbers, or newest`,
  );
}

/**
 * Orders versions by their three numbers.
 *
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
export function compareVersions(a, b) {
  const numbers = (/** @type {string} */ version) => version.split('.').map(Number);
  const right = numbers(b);
  return numbers(a).reduce((order, number, index) => order || number - (right[index] ?? 0), 0);
}

/**
 * Returns the newest release that a page of releases has. Throws for a page without any.
 *
 * @param {string} page
 * @returns {string}
 */
export function recordedRelease(page) {
  const versions = [...page.matchAll(/^## (\d+\.\d+\.\d+)$/gm)].map(([, version = '']) => version);
  const newest = versions.toSorted(compareVersions).at(-1);
  if (newest !== undefined) return newest;
  throw new Error('expected a section of a release such as "## 1.58.2" in docs/openhands.md, found none');
}

/**
 * Returns the lines of the program.
 *
 * @param {string} recorded
 * @param {readonly string[]} released
 * @returns {string}
 */
export function releaseLines(recorded, released) {
  const newest = [recorded, ...released].toSorted(compareVersions).at(-1);
  return `recorded=${recorded}\nnewest=${newest}\nappeared=${newest !== recorded}\n`;
}
