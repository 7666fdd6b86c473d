/**
 * A registry: small records that are no conversations, such as keys of clients, changed by compare-and-set.
 *
 * @packageDocumentation
 */
export {
  checkEntryName,
  checkKind,
  checkRegistry,
  entryText,
  lastNameOf,
  MAX_VALUE_BYTES,
  namesAfter,
  pageAfter,
  pageLimit,
  readEntries,
  type NamesAfter,
} from './check-entry.ts';
export { MemoryRegistry } from './memory-registry.ts';
export type { Expected, ListedPage, EntryQuery, Registry, RegistryEntry } from './registry.ts';
export { conflict, isRegistryError, RegistryError, type RegistryErrorCode } from './registry-error.ts';
