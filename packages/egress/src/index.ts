/**
 * Requests to addresses that others choose: they reach the internet and listed hosts, and nothing else of a private network.
 *
 * @packageDocumentation
 */
export { AddressRefusedError, isAddressRefusedError } from './address-refused-error.ts';
export { isPublic } from './addresses.ts';
export type { LookupAddresses } from './egress-guard.ts';
export {
  checkedHosts,
  guardedAddresses,
  type GuardedFetch,
  guardedFetch,
  type GuardedFetchOptions,
} from './guarded-fetch.ts';
export { type HostAndPort, hostAndPort, Hosts, isHost } from './hosts.ts';
