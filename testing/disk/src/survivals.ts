import type { Survival } from './survival.ts';

/** Nothing survives that was not synced. */
export const nothingUnsynced: Survival = { sector: () => false, names: () => false };

/** Everything survives, as when a process is killed. */
export const everything: Survival = { sector: () => true, names: () => true };

/** Names survive without what is in the files, as on file systems that write names first. */
export const onlyNames: Survival = { sector: () => false, names: () => true };

/** Data survives without names. */
export const onlyData: Survival = { sector: () => true, names: () => false };

/** Of each file the last write survives, but none of those before it. */
export const onlyNewest: Survival = { sector: (newest) => newest, names: () => true };

/** Each sector and each name survives or not, the same for the same seed. */
export function randomly(seed: number): Survival {
  let state = seed >>> 0;
  const coin = (): boolean => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) & 1) === 1;
  };
  return { sector: coin, names: coin };
}
