import { sep } from 'node:path';

import { checkStorePlace, kindOf, parseStoreAddress, StoreAddressError } from '@conv/stores';

import { ConfigurationError } from './configuration.ts';
import type { Configuration } from './effective-configuration.ts';
import { checkPrivate } from './private-places.ts';

/** Settings that name folders, which are created if missing. */
const FOLDERS = [
  'conversationsFolder',
  'workspaceFolder',
  'worktreesFolder',
  'settingsFolder',
  'staticFolder',
  'studioFolder',
] as const;

/** Folders that are only read, so they must exist, with a description of their content. */
const READ: Readonly<Record<string, string>> = {
  staticFolder: 'a folder of files to serve',
  studioFolder: 'the folder dist/page of @conv/studio',
};

/** Throws {@link ConfigurationError} if the path of a folder or of the store is something else. */
export function checkPlaces(configuration: Configuration, nameOf: (setting: string) => string): void {
  try {
    checkStorePlace(parseStoreAddress(configuration.store));
  } catch (error) {
    if (!(error instanceof StoreAddressError)) throw error;
    throw new ConfigurationError(`${nameOf('store')}: ${error.message}`, { cause: error });
  }
  for (const setting of FOLDERS) {
    const path = configuration[setting];
    const found = path === undefined ? 'nothing' : kindOf(path);
    if (found === 'a folder' || (found === 'nothing' && (path === undefined || !(setting in READ)))) continue;
    const expected = READ[setting] ?? 'a folder';
    const advice = setting in READ ? '' : '; name a folder, which is created if missing';
    throw new ConfigurationError(`${nameOf(setting)}: expected ${expected}, found ${found} at ${path}${advice}`);
  }
  checkPrivate(configuration, nameOf);
  checkAllowed(configuration, nameOf('allowedFolders'));
}

/** Throws {@link ConfigurationError} for an allowed folder that neither exists nor is made by this server. */
function checkAllowed(configuration: Configuration, name: string): void {
  const made = FOLDERS.map((setting) => configuration[setting]).filter((path) => path !== undefined);
  for (const path of configuration.allowedFolders) {
    const found = kindOf(path);
    if (found === 'a folder') continue;
    if (found === 'nothing' && made.some((folder) => `${folder}${sep}`.startsWith(`${path}${sep}`))) continue;
    throw new ConfigurationError(`${name}: expected a folder, found ${found} at ${path}; make it, or correct the path`);
  }
}
