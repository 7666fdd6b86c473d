/** The oldest Node on which the packages run; `engines` of each package says the same. */
const OLDEST = [22, 19] as const;

/**
 * Throws when this runtime is an older Node. npm only warns of `engines`, and a missing function would fail in another place,
 * as `Promise.withResolvers is not a function`.
 */
function assertNode(version: string | undefined): void {
  if (version === undefined) return;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new Error(
    `@conv needs Node ${OLDEST.join('.')} or newer, this is ${version}; install a newer one from nodejs.org`,
  );
}

assertNode((globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node);
