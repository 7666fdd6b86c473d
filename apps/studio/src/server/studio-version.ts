import { createRequire } from 'node:module';

/** Returns the version of this package. */
export function studioVersion(): string {
  const { version } = createRequire(import.meta.url)('@conv/studio/package.json') as { readonly version: string };
  return version;
}
