import { since, type Traffic } from '../proxy/traffic.ts';
import type { Client } from './client.ts';

/** The traffic of a client's return. */
export interface Return extends Traffic {
  /** Events that it had missed. */
  readonly missed: number;
}

/** Messages that are sent while it is away. */
const MESSAGES = 5;

/**
 * Cuts a client off, lets another client send a few messages, reconnects the first, and counts its traffic until it has received
 * them all.
 */
export async function measureReturn({
  sender,
  observer,
  length,
  target,
  until,
}: {
  readonly sender: Client;
  readonly observer: Client;
  /** The length of the log, which all clients know in full. */
  readonly length: number;
  /** The length of the log afterwards. */
  readonly target: () => Promise<number>;
  readonly until: number;
}): Promise<Return | undefined> {
  const { proxy } = observer.plan;
  proxy.hold();
  proxy.cut();
  for (let message = 0; message < MESSAGES; message++) await sender.send();
  const end = await target();
  const before = { ...proxy.traffic };
  proxy.release();
  const everybody = [...sender.recorders, ...observer.recorders];
  while (everybody.some(({ next }) => next < end)) {
    if (Date.now() > until) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return { ...since(before, proxy.traffic), missed: end - length };
}
