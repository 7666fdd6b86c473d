import { pathsOfStore } from '@conv/stores';

import type { Configuration } from './configuration/effective-configuration.ts';

/** Returns the files and folders of the server that no agent sees, also where they lie in the workspace of a conversation. */
export function hiddenPlaces({
  conversationsFolder,
  store,
  settingsFolder,
  ownFiles,
}: Pick<Configuration, 'conversationsFolder' | 'store' | 'settingsFolder' | 'ownFiles'>): readonly string[] {
  return [conversationsFolder, ...pathsOfStore(store), settingsFolder, ...ownFiles];
}
