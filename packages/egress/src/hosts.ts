import { isIP } from 'node:net';

/** A host, and the port of a request to it. An IPv6 address has no brackets. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

interface ListedHost {
  readonly host: string;
  /** True for the subdomains of `host`, without itself. */
  readonly below: boolean;
  readonly ports: readonly number[];
}

/** Ports of HTTP and HTTPS, which an entry without a port has. */
const WEB = [80, 443] as const;
const LARGEST_PORT = 65_535;

/** The hosts that an operator lists. */
export class Hosts {
  /** The entries in words for people and models. */
  readonly inWords: string;
  readonly #listed: readonly ListedHost[];

  /** Takes entries of which {@link isHost} says that they name a host. */
  constructor(entries: readonly string[]) {
    this.inWords = entries.join(', ');
    this.#listed = entries.flatMap((entry) => listed(entry) ?? []);
  }

  /** True if a host is listed with this port. An address is listed only by an entry with the same address. */
  allows({ host, port }: HostAndPort): boolean {
    return this.#listed.some(
      (entry) => entry.ports.includes(port) && (entry.below ? host.endsWith(`.${entry.host}`) : host === entry.host),
    );
  }

  /** True if a host is listed, with any port. */
  names(host: string): boolean {
    return this.#listed.some((entry) => !entry.below && entry.host === host);
  }
}

/** True for `example.org`, `*.example.org`, `192.0.2.1` and `[2001:db8::1]`, each with or without a port. */
export function isHost(entry: unknown): entry is string {
  return typeof entry === 'string' && listed(entry) !== undefined;
}

/** Returns the host and the port of an authority such as `example.org:443`; `undefined` if it is none. */
export function hostAndPort(authority: string): HostAndPort | undefined {
  const url = `http://${authority}`;
  if (/[/?#@\\\s]/.test(authority) || !URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return host === '' ? undefined : { host, port: port === '' ? WEB[0] : Number(port) };
}

function listed(entry: string): ListedHost | undefined {
  const [, wildcard, name = '', port] = /^(\*\.)?(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const target = hostAndPort(name);
  if (target === undefined || (port !== undefined && (Number(port) === 0 || Number(port) > LARGEST_PORT)))
    return undefined;
  const { host } = target;
  const family = isIP(host);
  const isName = family === 0 && /^[\da-z_-]+(?:\.[\da-z_-]+)*$/.test(host);
  // a name such as 127.1 is an address in other words
  const isAddress = family === 6 || (family === 4 && name === host);
  if (!isName && (!isAddress || wildcard !== undefined)) return undefined;
  return { host, below: wildcard !== undefined, ports: port === undefined ? WEB : [Number(port)] };
}
