import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

import { checkOptionNames, checks, type OptionNames } from '@conv/core';
import type { Agent, buildConnector } from 'undici';

import { isAddressRefusedError } from './address-refused-error.ts';
import { EgressGuard, type LookupAddresses } from './egress-guard.ts';
import { type HostAndPort, Hosts, isHost } from './hosts.ts';

/** Options of {@link guardedFetch}. */
export interface GuardedFetchOptions {
  /**
   * Hosts that requests reach although they are not public, such as `10.0.0.7:8080`, `hooks.internal` or `*.svc.cluster.local:8080`. An entry
   * without a port has the ports 80 and 443. Addresses at which a cloud serves its machines must be listed as addresses. Default: none.
   */
  readonly hosts?: readonly string[];
  /** Resolves with the addresses of a name, once for each connection. Default: the system's answer. */
  readonly lookup?: LookupAddresses;
}

const NAMES: OptionNames<GuardedFetchOptions> = { hosts: true, lookup: true };

/** A `fetch` with connections of its own. */
export type GuardedFetch = typeof fetch & {
  /** Ends all connections, and requests that are on. Idempotent. */
  close(): Promise<void>;
};

/**
 * Returns a `fetch` for URLs that others choose. It connects to addresses of the internet and to listed hosts. It resolves each name itself
 * and connects to the addresses that it has checked, so no second answer of a name server counts. It follows no redirect: the caller gets the
 * answer with its status. Proxies of the environment are not used. Throws a `TypeError` that names a wrong entry.
 *
 * A request rejects {@link AddressRefusedError} before a byte is sent, a `TypeError` for a URL that is neither http nor https, and otherwise as `fetch`.
 * Bodies are texts, bytes and streams.
 *
 * @example
 * ```ts
 * import { guardedFetch, isAddressRefusedError } from '@conv/egress';
 *
 * const ask = guardedFetch({ hosts: ['hooks.internal:8080'] });
 * await ask('http://169.254.169.254/latest/meta-data/').catch((error: unknown) => {
 *   if (!isAddressRefusedError(error)) throw error;
 * });
 * await ask.close();
 * ```
 */
export function guardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  checkOptionNames('guardedFetch', options, NAMES);
  const guard = new EgressGuard(new Hosts(checkedHosts('guardedFetch: hosts', options.hosts)), options.lookup);
  const client = new GuardedClient(guard);
  const ask: typeof fetch = (input, init) =>
    input instanceof Request ? client.fetch(input.url, { ...membersOf(input), ...init }) : client.fetch(input, init);
  return Object.assign(ask, { close: () => client.close() });
}

/**
 * Resolves with the addresses that {@link guardedFetch} would connect to, at least one, for a program that is told where to connect. The caller must
 * give the program these addresses and see to it that it follows no redirect. Rejects {@link AddressRefusedError}, and as the lookup rejects;
 * throws a `TypeError` that names a wrong entry.
 */
export async function guardedAddresses(
  target: HostAndPort,
  options: GuardedFetchOptions = {},
): Promise<readonly LookupAddress[]> {
  checkOptionNames('guardedAddresses', options, NAMES);
  const hosts = new Hosts(checkedHosts('guardedAddresses: hosts', options.hosts));
  return new EgressGuard(hosts, options.lookup).addressesOf(target);
}

/**
 * Returns a list of hosts, empty if none is given. Throws a `TypeError` that names the place and the wrong entry.
 */
export function checkedHosts(place: string, hosts: readonly string[] = []): readonly string[] {
  if (!Array.isArray(hosts)) throw new TypeError(checks.wrongValue(place, 'a list of hosts', hosts));
  for (const entry of hosts)
    if (!isHost(entry))
      throw new TypeError(
        `${place}: expected a host such as hooks.internal:8080, *.example.org or 10.0.0.7, found ${JSON.stringify(entry)}`,
      );
  return hosts;
}

/** The connections behind a guarded `fetch`. */
class GuardedClient {
  readonly #guard: EgressGuard;
  #agent: Promise<Agent> | undefined;

  constructor(guard: EgressGuard) {
    this.#guard = guard;
  }

  async fetch(input: string | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(input);
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw new TypeError(`expected a URL with http or https, found ${url.protocol}`);
    // imported here, because the rules of addresses are needed without it
    const { fetch: send } = await import('undici');
    const dispatcher = await (this.#agent ??= this.#connected());
    const redirect = init.redirect === 'error' ? 'error' : 'manual';
    try {
      const given = { ...init, redirect, dispatcher } as unknown as Parameters<typeof send>[1];
      return (await send(url, given)) as unknown as Response;
    } catch (error) {
      // fetch hides the reason in the cause
      if (error instanceof Error && isAddressRefusedError(error.cause)) throw error.cause;
      throw error;
    }
  }

  async close(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    await (await agent)?.destroy();
  }

  async #connected(): Promise<Agent> {
    const { Agent: Connections, buildConnector: connectorOf } = await import('undici');
    const connected = async (...[target, callback]: Parameters<buildConnector.connector>): Promise<void> => {
      const host = target.hostname.replaceAll(/^\[|\]$/g, '').replace(/\.$/, '');
      const port = target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : Number(target.port);
      let checked: readonly LookupAddress[];
      try {
        checked = await this.#guard.addressesOf({ host, port });
      } catch (error) {
        return callback(error as Error, null);
      }
      // invariant: the socket gets the checked addresses, and nothing resolves the name again
      connectorOf({ allowH2: false, lookup: answering(checked) })(target, callback);
    };
    return new Connections({ connect: (...given) => void connected(...given), allowH2: false });
  }
}

function answering(checked: readonly LookupAddress[]): LookupFunction {
  return (_, { all }, found) => {
    const [first = { address: '', family: 4 }] = checked;
    if (all === true) found(null, [...checked]);
    else found(null, first.address, first.family);
  };
}

function membersOf({ method, headers, body, signal }: Request): RequestInit {
  return { method, headers, signal, ...(body ? { body, duplex: 'half' } : {}) };
}
