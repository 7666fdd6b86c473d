import { fileURLToPath } from 'node:url';

/**
 * Returns the folder of the built page: `index.html` and its assets, made to be served at `/studio/`. The setting `studioFolder` of
 * an agent server takes it.
 *
 * @example
 * ```ts
 * import { studioFolder } from '@conv/studio';
 * import { access } from 'node:fs/promises';
 * import { join } from 'node:path';
 *
 * await access(join(studioFolder(), 'index.html'));
 * ```
 */
export function studioFolder(): string {
  return fileURLToPath(new URL('page', import.meta.url));
}
