import type { FleetOptions } from '../../src/ownership/fleet-options.ts';

/** Returns options that make a server a member of the tests' fleet. */
export function testFleet(url: string): Pick<FleetOptions, 'url' | 'peers' | 'key'> {
  return {
    url,
    peers: ['http://*.invalid', 'http://127.0.0.1:*', 'http://127.0.0.1:*/theirs'],
    key: 'the key of a test fleet',
  };
}
