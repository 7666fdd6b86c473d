/**
 * Stores by their addresses.
 *
 * @packageDocumentation
 */
export { checkCopyPlace, checkStorePlace, kindOf, missingStore } from './check-place.ts';
export { defaultStoreAddress } from './default-store.ts';
export { openRegistry, type OpenedRegistry } from './open-registry.ts';
export { openStore, type OpenedStore, type OpenStoreOptions } from './open-store.ts';
export { pathsOfStore } from './paths-of-store.ts';
export { parseStoreAddress, type StoreAddress, StoreAddressError } from './store-address.ts';
