import { pathsOfStore } from '@conv/stores';

import type { Configuration } from './configuration/effective-configuration.ts';
import { compiledCode } from './start/compiled-code.ts';

/**
 * Returns the files and folders of the server that no agent sees, also where they lie in the workspace of a conversation. The server runs the compiled code among
 * them at its next start.
 */
export function hiddenPlaces({
  conversationsFolder,
  store,
  settingsFolder,
  ownFiles,
}: Pick<Configuration, 'conversationsFolder' | 'store' | 'settingsFolder' | 'ownFiles'>): readonly string[] {
  return [conversationsFolder, ...pathsOfStore(store), settingsFolder, ...ownFiles, ...compiledCode()];
}
