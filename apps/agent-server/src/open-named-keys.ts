import { NamedKeys } from '@conv/server';
import { openRegistry } from '@conv/stores';

import type { Configuration } from './configuration/effective-configuration.ts';

/** Opens the keys in the registry of a server. */
export async function openNamedKeys(
  { store, settingsFolder }: Configuration,
  report: (error: unknown) => void,
): Promise<{ readonly keys: NamedKeys; close(): Promise<void> }> {
  const opened = await openRegistry(store, settingsFolder);
  const keys = await NamedKeys.open(opened.registry, { report });
  const close = async (): Promise<void> => {
    keys[Symbol.dispose]();
    await opened.close();
  };
  return { keys, close };
}
