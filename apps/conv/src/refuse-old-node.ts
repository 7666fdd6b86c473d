import process from 'node:process';

/** The oldest Node that the program runs on. */
const [MAJOR, MINOR] = [22, 19];

/**
 * Ends the program with a line that says why on a Node that is too old, where npm only warns. Every Node that knows modules can read
 * this file.
 */
export function refuseOldNode(): void {
  const found = process.versions.node;
  const [major = 0, minor = 0] = found.split('.').map(Number);
  if (major > MAJOR || (major === MAJOR && minor >= MINOR)) return;
  process.stderr.write(
    `conv: expected Node ${MAJOR}.${MINOR} or newer, found ${found}; install a newer one from nodejs.org\n`,
  );
  process.exit(2);
}
