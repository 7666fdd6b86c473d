import { sandbox, type SandboxLimits } from '@conv/sandbox';

import type { Sandboxes } from './play-attempt.ts';

/** Limits that stand for those of a whole machine, so that an attempt goes beyond them without harm. */
const SMALL: SandboxLimits = { memory: 512 * 2 ** 20, processes: 256, disk: 100 * 2 ** 20 };

/** Returns the sandboxes that attempts meet. */
export function smallSandboxes(): Sandboxes {
  return {
    strict: sandbox({ network: 'closed', limits: SMALL }),
    // as the programs of this repository have it
    standard: sandbox({ limits: SMALL, caches: true, gitIdentity: true }),
    hosts: sandbox({ network: { hosts: ['example.invalid', '*.example.invalid'] }, limits: SMALL }),
  };
}
