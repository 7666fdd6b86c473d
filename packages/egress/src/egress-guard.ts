import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

import { AddressRefusedError } from './address-refused-error.ts';
import { isPrivate, isPublic } from './addresses.ts';
import type { HostAndPort, Hosts } from './hosts.ts';

/** Resolves with all addresses of a host name. Rejects if it has none. */
export type LookupAddresses = (host: string) => Promise<readonly LookupAddress[]>;

/** Resolves with the addresses of a name that the system knows. */
const systemLookup: LookupAddresses = (host) => lookup(host, { all: true });

/**
 * Decides which addresses a request may connect to. An address of the internet is allowed. A listed name may also lead to this machine and to
 * private networks. A service of a cloud for its machines must itself be listed, because the owner of a name must not choose it.
 */
export class EgressGuard {
  readonly #hosts: Hosts;
  readonly #lookup: LookupAddresses;

  constructor(hosts: Hosts, lookupAddresses: LookupAddresses = systemLookup) {
    this.#hosts = hosts;
    this.#lookup = lookupAddresses;
  }

  /** Resolves with the allowed addresses of a host, at least one. Rejects {@link AddressRefusedError}, and as the lookup rejects. */
  async addressesOf(target: HostAndPort): Promise<readonly LookupAddress[]> {
    const { host, port } = target;
    const family = isIP(host);
    const found = family === 0 ? await this.#lookup(host) : [{ address: host, family }];
    const isListedName = family === 0 && this.#hosts.allows(target);
    const allowed = found.filter(
      ({ address }) =>
        isIP(address) !== 0 &&
        (isPublic(address) || this.#hosts.allows({ host: address, port }) || (isListedName && isPrivate(address))),
    );
    if (allowed.length > 0) return allowed;
    throw new AddressRefusedError(
      target,
      found.map(({ address }) => address),
    );
  }
}
