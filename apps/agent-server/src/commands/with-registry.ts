import process from 'node:process';

import type { addKey } from '@conv/server/access';
import { openRegistry } from '@conv/stores';
import { plainText } from '@conv/visualize/text';

import type { Sources } from '../configuration/read-configuration.ts';
import { messageOf } from '../error-description.ts';
import { configurationOf } from './settings.ts';

type Registry = Parameters<typeof addKey>[0];

/** Runs `work`. Names wrong arguments, and a registry that cannot be used, on standard error. */
export async function withRegistry(
  options: Sources['options'],
  work: (registry: Registry) => Promise<void>,
): Promise<void> {
  const configuration = await configurationOf(options);
  if (!configuration) return;
  try {
    const opened = await openRegistry(configuration.store, configuration.settingsFolder);
    try {
      await work(opened.registry);
    } finally {
      await opened.close();
    }
  } catch (error) {
    process.stderr.write(`${plainText(messageOf(error))}\n`);
    process.exitCode = error instanceof TypeError ? 2 : 1;
  }
}
