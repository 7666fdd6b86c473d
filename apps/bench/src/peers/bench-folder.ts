import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let root: string | undefined;
let made = 0;

/** Returns a folder for all that this process writes while it measures. It goes away with the process, also by Ctrl+C. */
export function benchRoot(): string {
  if (root !== undefined) return root;
  const folder = mkdtempSync(join(tmpdir(), 'conv-bench-peers-'));
  // PostgreSQL runs as another user where this one is root
  chmodSync(folder, 0o755);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code));
  root = folder;
  return folder;
}

/** Returns a new, empty folder in it. */
export function benchFolder(name: string): string {
  const folder = join(benchRoot(), `${name}-${made++}`);
  mkdirSync(folder);
  return folder;
}
