import process from 'node:process';

/**
 * Ends a program on a Node that it does not run on, with a line that says so. npm only warns of `engines`. Every Node with ES
 * modules reads this file, so it uses no newer syntax.
 */
export function refuseOldNode(program: string): void {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return;
  process.stderr.write(
    `${program}: expected Node 22.19 or newer, found ${node}; install a newer one from nodejs.org\n`,
  );
  process.exit(2);
}
