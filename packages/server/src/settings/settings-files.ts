import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Platform } from '@conv/core/platform';

import { isMissing } from './missing-file.ts';
import type { ObjectsByName, SettingsPlace } from './settings-place.ts';
import { StoredFile } from './stored-file.ts';

const SUFFIX = '.json';

/** Returns the files in a folder, as OpenHands names them. */
export function settingsFiles(directory: string, platform: Pick<Platform, 'id'>): SettingsPlace {
  const file = (name: string): StoredFile => new StoredFile(join(directory, `${name}${SUFFIX}`), platform);
  return {
    settings: file('settings'),
    secrets: file('secrets'),
    workspaces: file('workspaces'),
    providerConnections: file(join('provider-connections', 'provider_connections')),
    llmProfiles: filesIn(join(directory, 'profiles'), platform),
    agentProfiles: filesIn(join(directory, 'agent-profiles'), platform),
    metaProfiles: filesIn(join(directory, 'meta-profiles'), platform),
  };
}

function filesIn(directory: string, platform: Pick<Platform, 'id'>): ObjectsByName {
  const files = new Map<string, StoredFile>();
  return {
    names: async () => {
      try {
        const found = await readdir(directory);
        return found.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
    object: (name) => {
      const known = files.get(name) ?? new StoredFile(join(directory, `${name}${SUFFIX}`), platform);
      files.set(name, known);
      return known;
    },
  };
}
