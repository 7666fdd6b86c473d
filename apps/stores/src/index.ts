/**
 * Stores by their addresses.
 *
 * @packageDocumentation
 */
export { checkStorePlace } from './check-place.ts';
export { openStore, type OpenedStore, type OpenStoreOptions } from './open-store.ts';
export { isSamePlace } from './same-place.ts';
export { parseStoreAddress, type StoreAddress, StoreAddressError } from './store-address.ts';
