import type { Platform, Timer } from './platform.ts';

/** Timers of hosts hold 31 bits of milliseconds, and fire at once for more. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The platform of the host: Node, a browser, a worker. The default of every option `platform`. */
export const systemPlatform: Platform = {
  now: () => Date.now(),
  monotonic,
  setTimer,
  nextTurn,
  random: () => Math.random(),
  id: randomId,
};

function monotonic(): number {
  const { process } = globalThis as { process?: { hrtime?(): [seconds: number, nanoseconds: number] } };
  if (!process?.hrtime) return performance.now();
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1_000_000;
}

function setTimer(milliseconds: number, work: () => void, options: Parameters<Platform['setTimer']>[2] = {}): Timer {
  const rest = milliseconds - LONGEST_TIMER;
  let next: Timer | undefined;
  const fire = rest > 0 ? (): void => void (next = setTimer(rest, work, options)) : work;
  const handle: unknown = setTimeout(fire, Math.min(Math.max(0, milliseconds), LONGEST_TIMER));
  if (options.background === true) (handle as { unref?(): void }).unref?.();
  const cancel = (): void => (next ? next.cancel() : clearTimeout(handle as number));
  return { cancel, [Symbol.dispose]: cancel };
}

function nextTurn(): Promise<void> {
  // browsers lack it
  const immediate = (globalThis as { setImmediate?: (work: () => void) => unknown }).setImmediate;
  return new Promise((resolve) => void (immediate ? immediate(resolve) : setTimeout(resolve, 0)));
}

function randomId(): string {
  // browsers have it for pages of safe origins alone
  const { randomUUID } = crypto as { randomUUID?: () => string };
  if (randomUUID) return randomUUID.call(crypto);
  const bytes = secureRandom(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * Returns random bytes of the system, for keys, nonces and access tokens. At most 65,536. A simulation cannot replace them,
 * because nothing secret may be predictable.
 */
export function secureRandom(bytes: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(bytes));
}
