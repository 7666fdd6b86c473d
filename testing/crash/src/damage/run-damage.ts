import { Random } from '@conv/testing-harness';

import { checkCase } from './check-case.ts';
import { drawHarm, harmText } from './harm.ts';
import type { DamageOptions } from './options.ts';
import type { DamageTarget, Harm } from './target.ts';

/** The number of cases of which one is also checked through a fork. */
const FORKS = 4;

/** Maximum number of findings printed in words. */
const SHOWN = 20;

/** Sums of a run, as its line of JSON shows them. */
export interface DamageSums {
  readonly store: string;
  readonly cases: number;
  readonly pairs: number;
  readonly opened: number;
  readonly refused: number;
  /** Commits that cases destroyed. */
  readonly destroyed: number;
  /** Cases with a finding. */
  readonly found: number;
}

/** Plays the cases: damages, opens and compares. Prints findings as they occur. */
export async function runDamage(target: DamageTarget, options: DamageOptions): Promise<DamageSums> {
  const { flips, pairs, seed, only } = options;
  const random = new Random(seed);
  const recordings = await target.record(random);
  const sums = { opened: 0, refused: 0, destroyed: 0, found: 0 };
  for (let at = 0; at < flips + pairs; at++) {
    const recording = random.pick(recordings);
    const harms: readonly Harm[] = Array.from({ length: at < flips ? 1 : 2 }, () => drawHarm(recording, random));
    if (only !== undefined && only !== at) continue;
    const { ended, found } = await checkCase(target, recording, harms, at % FORKS === 0);
    sums[ended]++;
    sums.destroyed += target.destroyed(recording, harms).size;
    if (found.length === 0) continue;
    sums.found++;
    if (sums.found <= SHOWN)
      process.stderr.write(
        `case ${at}, ${recording.name}, ${harms.map(harmText).join(', ')}:\n  ${found.join('\n  ')}\n`,
      );
  }
  return { store: target.kind, cases: flips, pairs, ...sums };
}
