import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { isInside, isSamePlace, pathOf, real } from './same-place.ts';
import { type StoreAddress, StoreAddressError } from './store-address.ts';

/**
 * Checks the place of a store on this machine. Throws {@link StoreAddressError} if something else is there. Remote stores are not
 * checked: their first use fails.
 */
export function checkStorePlace(address: StoreAddress): void {
  if (address.kind === 'fs') {
    check(address.directory, 'a folder');
    if (isConversationFolder(real(address.directory)))
      throw insideConversation(address.directory, dirname(address.directory));
  }
  if (address.kind === 'sqlite') check(address.file, 'a file');
}

/**
 * Returns an error text if this machine has no store at the address, most often because of a typing mistake; `undefined` if
 * something is there. Remote stores are not checked: their first use fails.
 */
export function missingStore(address: StoreAddress): string | undefined {
  const path = pathOf(address);
  // something else in its place is named when it is opened
  if (path === undefined || kindOf(path) !== 'nothing') return undefined;
  return `there is no store at ${path}; check the address, a store is made by its first conversation`;
}

/**
 * Checks the places of a store and of its copy. Throws {@link StoreAddressError} if they are the same store, or if the copy would
 * lie inside the source or inside a conversation.
 */
export function checkCopyPlace(from: StoreAddress, to: StoreAddress): void {
  if (isSamePlace(from, to))
    throw new StoreAddressError('expected another store than the source, found the same store; name another address');
  const path = pathOf(to);
  for (let at = real(path ?? '/'); path !== undefined && at !== dirname(at); at = dirname(at))
    if (isConversationFolder(at)) throw insideConversation(path, dirname(at));
  if (isInside(to, from))
    throw new StoreAddressError(
      `expected a place outside the source, found ${path ?? 'a prefix'} inside it; name a place beside the source`,
    );
}

function insideConversation(path: string, store: string): StoreAddressError {
  return new StoreAddressError(
    `${path}: expected a folder of conversations, found the folder of one conversation; the store is ${store}`,
  );
}

/** True for the folder of one conversation in a store of folders. */
function isConversationFolder(path: string): boolean {
  if (!/^[0-9a-f]{32}$/.test(basename(path))) return false;
  return existsSync(join(path, '.conv')) || existsSync(join(path, 'base_state.json'));
}

function check(path: string, expected: 'a folder' | 'a file'): void {
  const found = kindOf(path);
  if (found === expected || found === 'nothing') return;
  throw new StoreAddressError(
    `${path}: expected ${expected} with conversations, found ${found}; give another address, or move it away`,
  );
}

/** Folders of the Linux kernel, in which nothing can be stored and creating folders hangs. */
const KERNEL = /^\/(?:proc|sys)(?:\/|$)/;

/** Describes what is at a path. */
export function kindOf(path: string): string {
  if (KERNEL.test(path)) return 'a place of the kernel';
  try {
    const found = statSync(path);
    if (found.isDirectory()) return 'a folder';
    return found.isFile() ? 'a file' : 'a FIFO, socket or device';
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return 'nothing';
    return code === 'ENOTDIR' ? 'a file in its path' : `a path that cannot be read (${code})`;
  }
}
