import { since, type Traffic } from '../proxy/traffic.ts';
import type { Client } from './client.ts';

/** Traffic that a client needed to come back. */
export interface Return extends Traffic {
  /** Events that it had missed. */
  readonly missed: number;
}

/** Messages that are sent while it is away. */
const MESSAGES = 5;

/** Cuts a client off, lets another send a few messages, lets it come back, and counts until it has been given them all. */
export async function measureReturn({
  sender,
  observer,
  length,
  target,
  until,
}: {
  readonly sender: Client;
  readonly observer: Client;
  /** Of the log, which everybody knows whole. */
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
