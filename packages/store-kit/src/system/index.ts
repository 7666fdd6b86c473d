/**
 * Facts about this machine, for stores that rely on one kernel, and check values. Loads nothing of `@conv/core`, so that worker threads
 * start fast.
 *
 * @packageDocumentation
 */
export { checkedText, checkValue, textIn } from './checked-text.ts';
export { crc32 } from './crc32.ts';
export { asListed, MountTable } from './mount-table.ts';
export { networkFileSystem } from './network-file-system.ts';
export { isRunning, lifeOf, ownIdentity, type ProcessIdentity, type ProcessLife } from './process-identity.ts';
export { lifeOfMark, processMark } from './process-mark.ts';
