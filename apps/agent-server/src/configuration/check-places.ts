import { statSync } from 'node:fs';
import { sep } from 'node:path';

import { checkStorePlace, parseStoreAddress, StoreAddressError } from '@conv/stores';

import { ConfigurationError } from './configuration.ts';
import type { Configuration } from './effective-configuration.ts';

/** Settings that name folders, which are made when they are not there. */
const FOLDERS = [
  'conversationsFolder',
  'workspaceFolder',
  'worktreesFolder',
  'settingsFolder',
  'staticFolder',
] as const;

/** Throws {@link ConfigurationError} if something else stands where the server is to have a folder or its store. */
export function checkPlaces(configuration: Configuration, nameOf: (setting: string) => string): void {
  try {
    checkStorePlace(parseStoreAddress(configuration.store));
  } catch (error) {
    if (!(error instanceof StoreAddressError)) throw error;
    throw new ConfigurationError(`${nameOf('store')}: ${error.message}`, { cause: error });
  }
  for (const setting of FOLDERS) {
    const path = configuration[setting];
    if (path === undefined || !isSomethingElse(path)) continue;
    throw new ConfigurationError(
      `${nameOf(setting)}: expected a folder, found a file at ${path}; name a folder, which is created if missing`,
    );
  }
  if (configuration.staticFolder !== undefined && !isThere(configuration.staticFolder))
    throw new ConfigurationError(
      `${nameOf('staticFolder')}: expected a folder of files to serve, found nothing at ${configuration.staticFolder}`,
    );
  checkAllowed(configuration, nameOf('allowedFolders'));
}

/** Throws {@link ConfigurationError} for an allowed folder that neither exists nor is made by this server. */
function checkAllowed(configuration: Configuration, name: string): void {
  const made = FOLDERS.map((setting) => configuration[setting]).filter((path) => path !== undefined);
  for (const path of configuration.allowedFolders) {
    if (isSomethingElse(path)) throw new ConfigurationError(`${name}: expected a folder, found a file at ${path}`);
    if (isThere(path) || made.some((folder) => `${folder}${sep}`.startsWith(`${path}${sep}`))) continue;
    throw new ConfigurationError(`${name}: expected a folder, found nothing at ${path}; make it, or correct the path`);
  }
}

/** True if a folder can neither be there nor be made. */
function isSomethingElse(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR';
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
