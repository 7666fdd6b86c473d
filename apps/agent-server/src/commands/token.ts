import process from 'node:process';

import type { Sources } from '../configuration/read-configuration.ts';
import { makeSessionToken } from '../session-token.ts';
import { configurationOf } from './settings.ts';
import { showToken } from './show-link.ts';

/** Makes another token and prints it. */
export async function makeToken(options: Sources['options']): Promise<void> {
  const configuration = await configurationOf(options);
  if (!configuration) return;
  const { made } = await makeSessionToken(configuration.settingsFolder);
  showToken(made);
  process.stdout.write('A running server accepts it after a restart.\n');
}
