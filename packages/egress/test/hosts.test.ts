import { expect, test } from 'vitest';

import { hostAndPort, Hosts, isHost } from '../src/hosts.ts';
import { isPrivate, isPublic } from '../src/addresses.ts';

test.each([
  ['example.org', 'example.org', 443],
  ['example.org', 'example.org', 80],
  ['Example.ORG', 'EXAMPLE.org.', 443],
  ['example.org:8443', 'example.org', 8443],
  ['*.example.org', 'a.example.org', 443],
  ['*.example.org:22', 'a.b.example.org', 22],
  ['bücher.example', 'xn--bcher-kva.example', 443],
  ['192.0.2.1', '192.0.2.1', 80],
  ['[2001:DB8::1]:8443', '[2001:db8:0::1]', 8443],
])('the entry %s allows %s at %i', (entry, host, port) => {
  expect(isHost(entry)).toBe(true);
  expect(new Hosts(['other.example', entry]).allows(hostAndPort(`${host}:${port}`)!)).toBe(true);
});

test.each([
  ['example.org', 'example.org', 22],
  ['example.org', 'a.example.org', 443],
  ['example.org', 'badexample.org', 443],
  ['example.org:8443', 'example.org', 443],
  ['*.example.org', 'example.org', 443],
  ['*.example.org', 'badexample.org', 443],
  ['*.example.org', 'a.example.org.other.example', 443],
  ['192.0.2.1', '192.0.2.2', 80],
  ['2.example', '192.0.2.1', 80],
])('the entry %s does not allow %s at %i', (entry, host, port) => {
  expect(isHost(entry)).toBe(true);
  expect(new Hosts([entry]).allows(hostAndPort(`${host}:${port}`)!)).toBe(false);
});

test.each([
  '',
  '*',
  '*.',
  'a b',
  'https://example.org',
  'example.org/path',
  'user@example.org',
  'example.org:0',
  'example.org:65536',
  'example.org:http',
  'a.*.example.org',
  '*.192.0.2.1',
  '127.1',
  '0x7f000001',
  '2130706433',
  '2001:db8::1',
  '[2001:db8::1',
])('%j names no host', (entry) => {
  expect(isHost(entry)).toBe(false);
});

test.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111'])('%s is an address of the internet', (address) => {
  expect(isPublic(address)).toBe(true);
});

test.each([
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '100.100.100.200',
  '169.254.169.254',
  '168.63.129.16',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::7f00:1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::1',
  'fe80::1',
  'fe80::1%lo',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '2001:db8::1',
  '2001::1',
])('%s is no address of the internet', (address) => {
  expect(isPublic(address)).toBe(false);
});

test.each(['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1', '::1', 'fd12:3456::1'])(
  '%s is of this machine or a private network',
  (address) => {
    expect(isPrivate(address)).toBe(true);
  },
);

test.each([
  '8.8.8.8',
  '0.0.0.0',
  '100.100.100.200',
  '169.254.169.254',
  '168.63.129.16',
  '192.0.0.192',
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  'fe80::1',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd00:ec2::253',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
])('%s is no address that a listed name may lead to as private', (address) => {
  expect(isPrivate(address)).toBe(false);
});
