import type { Cipher } from '@conv/core';
import { fernetCipher } from '@conv/secrets';
import { NamedKeys } from '@conv/server/access';
import { SettingsStore } from '@conv/server/records';
import { openRegistry, type OpenedRegistry, parseStoreAddress } from '@conv/stores';

import type { Configuration } from './configuration/effective-configuration.ts';
import type { OwnKeys } from './own-keys.ts';

/** The registry of a server, and what it keeps there. */
export interface Kept {
  /** Encrypts secrets of settings and conversations. */
  readonly cipher: Cipher;
  readonly namedKeys: NamedKeys;
  readonly settingsStore: SettingsStore;
  readonly registry: OpenedRegistry['registry'];
  close(): Promise<void>;
}

/** Opens the registry of a server. `kept`: the folder or registry in which its settings are. */
export async function openSettings({
  store,
  settingsFolder,
}: Pick<Configuration, 'store' | 'settingsFolder'>): Promise<
  OpenedRegistry & { readonly kept: string | OpenedRegistry['registry'] }
> {
  const opened = await openRegistry(store, settingsFolder);
  return { ...opened, kept: parseStoreAddress(store).kind === 'fs' ? settingsFolder : opened.registry };
}

/**
 * Opens all that a server keeps beside conversations: keys and settings. They are in the registry of its store. For a store of folders the
 * settings are the files of OpenHands in `settingsFolder`. `report` receives each failure to read the keys.
 */
export async function openKept(
  { store, settingsFolder }: Pick<Configuration, 'store' | 'settingsFolder'>,
  { secretKey, oldSecretKeys }: Pick<OwnKeys, 'secretKey' | 'oldSecretKeys'>,
  report: (error: unknown) => void,
): Promise<Kept> {
  const opened = await openSettings({ store, settingsFolder });
  try {
    const namedKeys = await NamedKeys.open(opened.registry, { report });
    const cipher = fernetCipher(secretKey, oldSecretKeys);
    return {
      cipher,
      namedKeys,
      settingsStore: new SettingsStore(opened.kept, cipher),
      registry: opened.registry,
      close: async () => {
        namedKeys[Symbol.dispose]();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
