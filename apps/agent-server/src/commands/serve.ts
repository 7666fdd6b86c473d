import type { Sources } from '../configuration/read-configuration.ts';
import { configurationOf } from './settings.ts';

/** Starts the server of these settings. Loads its parts only if the settings are right. */
export async function serve(options: Sources['options']): Promise<void> {
  const configuration = await configurationOf(options);
  if (!configuration) return;
  const { serveConfigured } = await import('./serve-configured.ts');
  await serveConfigured(configuration);
}
