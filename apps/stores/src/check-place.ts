import { statSync } from 'node:fs';

import { type StoreAddress, StoreAddressError } from './store-address.ts';

/**
 * Looks at the place of a store on this machine. Throws {@link StoreAddressError} if something else stands there. Places elsewhere are known
 * when they are first used.
 */
export function checkStorePlace(address: StoreAddress): void {
  if (address.kind === 'fs') check(address.directory, 'a folder');
  if (address.kind === 'sqlite') check(address.file, 'a file');
}

function check(path: string, expected: 'a folder' | 'a file'): void {
  const found = kindOf(path);
  if (found === expected || found === 'nothing') return;
  throw new StoreAddressError(
    `${path}: expected ${expected} with conversations, found ${found}; give another address, or move it away`,
  );
}

function kindOf(path: string): string {
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
