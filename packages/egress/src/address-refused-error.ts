import type { HostAndPort } from './hosts.ts';

/** The refusal of a request whose host leads to this machine, a private network or a service of a cloud, and is not listed. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ADDRESS_REFUSED';
  /** An IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;

  constructor({ host, port }: HostAndPort, addresses: readonly string[]) {
    const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const isAddress = addresses.includes(host);
    const leads = isAddress ? 'it is' : `it leads to ${addresses.join(', ')}, which is`;
    super(
      `${place}: expected an address of the internet; ${leads} of this machine, a private network or a cloud's own services. ` +
        'List the host with its port if requests may reach it',
    );
    this.host = host;
    this.port = port;
  }
}

/** True for the refusal of a request to a host that is neither public nor listed. */
export function isAddressRefusedError(error: unknown): error is AddressRefusedError {
  return error instanceof AddressRefusedError;
}
