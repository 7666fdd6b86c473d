import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Networks that are no part of the public internet, and services of clouds. https://www.iana.org/assignments/iana-ipv4-special-registry */
const NOT_PUBLIC =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 ' +
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 2001::/23 2001:db8::/32 2002::/16 3fff::/20';

/** The network of public IPv6 addresses. Others hold IPv4 addresses in other words, or belong to one machine or site. */
const PUBLIC_IPV6 = '2000::/3';

/** Networks of machines and sites. */
const PRIVATE = '10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16 ::1/128 fc00::/7';

/** Addresses in private networks at which clouds serve their machines, such as with secrets and names. */
const OF_CLOUDS = '100.100.100.200/32 fd00:ec2::/32 fd20:ce::254/128 fd00:c1::a9fe:a9fe/128 fd00:42::42/128';

/** Lists of networks that were asked for. They are made then, because programs load this and check no address. */
const lists = new Map<string, BlockList>();

/** True if an address leads to neither this machine nor a private network, nor to a service of a cloud for its machines. */
export function isPublic(address: string): boolean {
  const family = familyOf(address);
  if (family === 'ipv6' && !listOf(PUBLIC_IPV6).check(address, family)) return false;
  // an address of this machine can be public, and its services are not
  return !listOf(NOT_PUBLIC).check(address, family) && !isOfThisMachine(address);
}

/** True for an address of this machine or of a private network. False for addresses at which a cloud serves its machines. */
export function isPrivate(address: string): boolean {
  const family = familyOf(address);
  if (listOf(OF_CLOUDS).check(address, family)) return false;
  return (
    listOf(PRIVATE).check(address, family) || (isOfThisMachine(address) && !listOf(NOT_PUBLIC).check(address, family))
  );
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function isOfThisMachine(address: string): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address) === true);
}

function listOf(networks: string): BlockList {
  const known = lists.get(networks);
  if (known) return known;
  const list = new BlockList();
  lists.set(networks, list);
  for (const network of networks.split(' ')) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}
