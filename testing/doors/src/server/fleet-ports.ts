import { randomInt } from 'node:crypto';

/** Ports below the range that systems give to clients. */
const PORTS = [15_000, 32_000] as const;

/** Returns the ports of two servers of a fleet, which know each other's addresses before they listen. */
export function fleetPorts(): readonly [number, number] {
  const first = randomInt(...PORTS);
  return [first, first + 1];
}
