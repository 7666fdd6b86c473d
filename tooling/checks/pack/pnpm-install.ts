import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, run } from '../command.ts';

/**
 * Installs the packages of a folder by pnpm, with these tarballs wherever a package is asked for by their names. It needs less of
 * the processor than npm.
 */
export function pnpmInstall(
  dir: string,
  tarballs: ReadonlyMap<string, string>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Outcome> {
  const overrides = Object.fromEntries([...tarballs].map(([name, file]) => [name, `file:${file}`]));
  writeFileSync(join(dir, 'pnpm-workspace.yaml'), JSON.stringify({ packages: ['.'], ...settings, overrides }));
  return run('pnpm', ['install', '--prefer-offline', '--no-frozen-lockfile'], dir);
}
