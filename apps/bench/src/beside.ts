import { median, time, timeBeside, type Figure } from './figure.ts';

/** Before anything is counted: compilers, caches and connections are warm then. */
const WARM_UP = 100;

/** A measurement beside its baseline. */
export interface Pairing {
  readonly name: string;
  readonly samples: number;
  /** Maximum multiple of the bare engine's time. */
  readonly limit: number;
  readonly ours: () => Promise<unknown>;
  readonly bare: () => Promise<unknown>;
}

/** Medians of both, taken in turns, so that whatever else the machine does meets both. */
export async function beside({ name, samples, limit, ours, bare }: Pairing): Promise<Figure> {
  const times = { ours: [] as number[], bare: [] as number[] };
  for (let sample = -WARM_UP; sample < samples; sample++) {
    const [single, own] = [await time(bare), await time(ours)];
    if (sample < 0) continue;
    times.bare.push(single);
    times.ours.push(own);
  }
  return timeBeside({ name, value: median(times.ours), baseline: median(times.bare), limit });
}
