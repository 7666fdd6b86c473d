import { readFileSync } from 'node:fs';

/** The version of this package, as its `package.json` says. */
export function programVersion(): string {
  // one folder below the package, as a source and in the build
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return version;
}
