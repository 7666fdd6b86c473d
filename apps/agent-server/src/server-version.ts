import { readFileSync } from 'node:fs';

/** The version of this package, as its `package.json` says. */
export function serverVersion(): string {
  // one folder below the package, as a source and in the build
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
