import { join } from 'node:path';
import { openRegistry } from '@conv/stores';

import type { Configuration } from './configuration/effective-configuration.ts';

/** Opens the registry of a server, which holds its named keys. */
export function registryOf({ settingsFolder }: Pick<Configuration, 'settingsFolder'>): ReturnType<typeof openRegistry> {
  return openRegistry(join(settingsFolder, 'registry'));
}
