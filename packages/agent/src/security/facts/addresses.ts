import { hostname, networkInterfaces } from 'node:os';
import { UNKNOWN } from './places.ts';

/** The distance of an address from the program that runs the agent. */
export type Nearness = 'own' | 'metadata' | 'loopback' | 'remote';

/** An address at which the program that runs the agent listens. */
export interface Listening {
  readonly host: string;
  readonly port: string;
}

/** Names of the metadata services of clouds, which return the keys of a machine. */
const METADATA_NAMES = /^(?:metadata(?:\.google\.internal)?|instance-data)\.?$/;
/** Addresses at which clouds serve their machines. The rules of `@conv/egress` close the same addresses; it is not used, because it loads a client of HTTP. */
const METADATA_IPV4 = /^(?:169\.254\.\d+\.\d+|100\.100\.100\.200|168\.63\.129\.16)$/;
/** The same in IPv6, as URLs write them: of Amazon, Google, Oracle and Scaleway, and addresses of one link, as OpenStack has. */
const METADATA_IPV6 =
  /^\[(?:fd00:ec2:[\da-f:]*|fd20:ce::254|fd00:c1::a9fe:a9fe|fd00:42::42|fe[89ab][\da-f]:[\da-f:]*)\]$/;
/** An IPv4 address in the words of IPv6. */
const MAPPED = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;

/** Names that lead to this machine on every resolver. */
const LOCAL_NAMES =
  /(?:^|\.)(?:localhost|localhost\.localdomain|ip6-localhost|ip6-loopback|host\.docker\.internal|localtest\.me|lvh\.me|vcap\.me|lacolhost\.com)$/;
const WITH_ADDRESS = /(?:^|[.-])(?:127[.-]\d{1,3}[.-]\d{1,3}[.-]\d{1,3}|7f000001)\.(?:nip|sslip|xip)\.io$/;
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]|\[::ffff:0:0\])$/;

/** Parses the addresses of a list, for example `http://127.0.0.1:8000` or `localhost:8000`. */
export function listeningAt(addresses: readonly string[]): readonly Listening[] {
  return addresses.flatMap((address) => {
    const url = parsed(/^[a-z]+:\/\//i.test(address) ? address : `http://${address}`);
    return url === undefined ? [] : [{ host: url.hostname, port: portOf(url) }];
  });
}

function portOf({ port, protocol }: URL): string {
  return port !== '' ? port : protocol === 'https:' || protocol === 'wss:' ? '443' : '80';
}

function parsed(text: string): URL | undefined {
  return URL.parse(text) ?? undefined;
}

/** True if a host, in whatever spelling, is this machine. */
function isLocal(host: string): boolean {
  const name = host.toLowerCase().replace(/\.+$/, '');
  if (name === '' || LOOPBACK.test(name) || LOCAL_NAMES.test(name) || WITH_ADDRESS.test(name)) return true;
  return ownNames().has(name);
}

let known: ReadonlySet<string> | undefined;

/** Names and addresses of this machine in its networks. */
function ownNames(): ReadonlySet<string> {
  known ??= new Set([
    hostname().toLowerCase(),
    ...Object.values(networkInterfaces()).flatMap((all = []) =>
      all.map(({ address }) => (address.includes(':') ? `[${address}]` : address)),
    ),
  ]);
  return known;
}

const URL_LIKE = /^[a-z][\w+.-]{1,12}:\/\/[^\s]*$/i;
const HOST_LIKE = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?(?:[/?#].*)?$/i;

/** Returns how near the address in a word is; `undefined` for no address. `port` is given if it stands apart. */
export function nearnessOf(word: string, listening: readonly Listening[], port?: string): Nearness | undefined {
  // several rules ask about the same word, so the last answer is kept
  if (asked?.word !== word || asked.listening !== listening || asked.port !== port)
    asked = { word, listening, port, near: findNearness(word, listening, port) };
  return asked.near;
}

interface Asked {
  readonly word: string;
  readonly listening: readonly Listening[];
  readonly port: string | undefined;
  readonly near: Nearness | undefined;
}

let asked: Asked | undefined;

function findNearness(word: string, listening: readonly Listening[], port: string | undefined): Nearness | undefined {
  const text = word.includes('@') && !word.startsWith('@') ? withoutUser(word) : word;
  if (text.includes(UNKNOWN)) return unknownNearness(text, listening);
  if (/^:\d{1,5}(?:[/?#]|$)/.test(text)) return nearnessOf(`localhost${text}`, listening);
  const isUrl = URL_LIKE.test(text);
  if (!isUrl && !HOST_LIKE.test(text)) return undefined;
  const url = parsed(isUrl ? text.replace(/^[\w+.-]+:/, 'http:') : `http://${text}`);
  if (url === undefined) return isUrl ? 'remote' : undefined;
  const { hostname: host } = url;
  const isNamed =
    isUrl || host.includes('.') || host.startsWith('[') || isLocal(host) || port !== undefined || url.port !== '';
  if (!isNamed) return undefined;
  const at = port ?? (url.port !== '' ? url.port : /^(?:https|wss):/i.test(text) ? '443' : '80');
  const own = listening.some((server) => server.port === at && (server.host === host || isLocal(host)));
  if (own) return 'own';
  if (isMetadata(host)) return 'metadata';
  return isLocal(host) ? 'loopback' : 'remote';
}

function isMetadata(host: string): boolean {
  const [, high, low] = MAPPED.exec(host) ?? [];
  if (high === undefined || low === undefined)
    return METADATA_NAMES.test(host) || METADATA_IPV4.test(host) || METADATA_IPV6.test(host);
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return METADATA_IPV4.test([first >> 8, first & 255, second >> 8, second & 255].join('.'));
}

function withoutUser(word: string): string {
  const start = word.indexOf('://');
  const end = word.indexOf('/', start === -1 ? 0 : start + 3);
  const at = word.lastIndexOf('@', end === -1 ? word.length : end);
  return at === -1 ? word : word.slice(0, start === -1 ? 0 : start + 3) + word.slice(at + 1);
}

/** Returns the nearness of an address of which a part is unknown: the known part decides as far as it goes. */
function unknownNearness(text: string, listening: readonly Listening[]): Nearness {
  const rest = text.replace(/^[a-z][\w+.-]{1,12}:\/\//i, '');
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:/?#]*)(?::([^/?#]*))?/.exec(rest) ?? [];
  const mayBeLocal = host.includes(UNKNOWN) || isLocal(host);
  const fits = listening.some((server) =>
    port.includes(UNKNOWN) ? !host.includes(UNKNOWN) && mayBeLocal : server.port === (port || '80'),
  );
  if (mayBeLocal && fits) return 'own';
  return mayBeLocal ? 'loopback' : 'remote';
}
