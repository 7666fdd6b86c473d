import { keptPort } from '@conv/testing-harness';

/** Resolves with the ports of two servers of a fleet, which know each other's addresses before they listen. */
export async function fleetPorts(): Promise<readonly [number, number]> {
  const first = await keptPort();
  for (;;) {
    const second = await keptPort();
    if (second !== first) return [first, second];
  }
}
