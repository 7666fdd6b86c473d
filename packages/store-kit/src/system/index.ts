/**
 * Facts about this machine, for stores that rely on one kernel. Loads nothing of `@conv/core`, so that worker threads start fast.
 *
 * @packageDocumentation
 */
export { networkFileSystem } from './network-file-system.ts';
export { lifeOf, ownIdentity, type ProcessIdentity, type ProcessLife } from './process-identity.ts';
