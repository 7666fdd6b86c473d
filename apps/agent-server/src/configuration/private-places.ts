import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';

import { parseStoreAddress } from '@conv/stores';

import { ConfigurationError } from './configuration.ts';
import type { Configuration } from './effective-configuration.ts';
import { refuseOpenPlace } from './key-files.ts';

/** A file or folder that opens a server, and the setting that names it. */
interface PrivatePlace {
  readonly path: string;
  readonly setting: 'settingsFolder' | 'conversationsFolder' | 'store';
  readonly kind: 'a file' | 'a folder';
}

/**
 * Throws {@link ConfigurationError} if another user of this machine may change what opens the server: its token and keys, settings that start
 * programs, and the logs that say what was approved. Root alone may use places of other users, see {@link foreignOwners}.
 */
export function checkPrivate(
  configuration: Configuration,
  nameOf: (setting: string) => string,
  user: number | undefined = process.getuid?.(),
): void {
  for (const { path, setting, kind } of placesOf(configuration)) {
    refuseOpenPlace(path, nameOf(setting), kind);
    const owner = ownerOf(path);
    if (user === undefined || user === 0 || owner === undefined || owner === user || owner === 0) continue;
    throw new ConfigurationError(
      `${nameOf(setting)}: expected ${kind} of user ${user}, found ${path} of user ${owner}, who can open this server with it; name another place, or take it over with chown`,
    );
  }
}

/** Returns the places that belong to other users although this process is root, as with a folder that is mounted into a container. */
export function foreignOwners(
  configuration: Configuration,
  user: number | undefined = process.getuid?.(),
): readonly { readonly path: string; readonly owner: number }[] {
  if (user !== 0) return [];
  return placesOf(configuration).flatMap(({ path }) => {
    const owner = ownerOf(path);
    return owner === undefined || owner === 0 ? [] : [{ path, owner }];
  });
}

function placesOf({ settingsFolder, conversationsFolder, store }: Configuration): readonly PrivatePlace[] {
  const files = ['token.json', 'secret.key', 'settings.json', 'secrets.json'];
  const address = parseStoreAddress(store);
  return [
    { path: settingsFolder, setting: 'settingsFolder', kind: 'a folder' },
    ...files.map((name) => ({ path: join(settingsFolder, name), setting: 'settingsFolder', kind: 'a file' }) as const),
    { path: conversationsFolder, setting: 'conversationsFolder', kind: 'a folder' },
    ...(address.kind === 'fs' && address.directory !== conversationsFolder
      ? [{ path: address.directory, setting: 'store', kind: 'a folder' } as const]
      : []),
    ...(address.kind === 'sqlite' ? databasePlaces(address.file) : []),
  ];
}

/** Returns the places of a database of SQLite: its folder, because what lies beside the file is read as part of it, and the files themselves. */
function databasePlaces(file: string): readonly PrivatePlace[] {
  const files = ['', '-wal', '-journal', '-shm'].map((end) => `${file}${end}`);
  return [
    { path: dirname(file), setting: 'store', kind: 'a folder' },
    ...files.map((path) => ({ path, setting: 'store', kind: 'a file' }) as const),
  ];
}

/** Returns the user of a file or folder; `undefined` for a path at which nothing is. */
function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid;
}
