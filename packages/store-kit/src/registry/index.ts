/**
 * A registry: small records that are no conversations, such as keys of clients, changed by compare-and-set.
 *
 * @packageDocumentation
 */
export { checkEntryName, checkKind, checkRegistry, entryText, MAX_VALUE_BYTES } from './check-entry.ts';
export { encryptedRecords, type DecryptedRecord, type EncryptedRecords } from './encrypted-records.ts';
export { listEntries, readEntries, type ReadEntriesOptions } from './list-entries.ts';
export { MemoryRegistry } from './memory-registry.ts';
export type { Expected, ListedPage, EntryQuery, Registry, RegistryEntry } from './registry.ts';
export { storedRecord } from './stored-record.ts';
export { listRows, rowEntry, type RowQuery, type StoredRow } from './stored-rows.ts';
export { conflict, isRegistryError, RegistryError, toRegistryError, type RegistryErrorCode } from './registry-error.ts';
