import type { Sandbox } from '@conv/core/tool';

import type { Attempt } from './attempts/attempt.ts';
import { World } from './world.ts';

/** `out`: the attempt reached what it must not. `in`: it did not. */
export type Outcome = 'out' | 'in';

/** The sandboxes that an attempt meets: the strictest setting, and the default. */
export interface Sandboxes {
  readonly strict: Sandbox;
  readonly standard: Sandbox;
}

/** The outcomes of an attempt. */
export interface Played {
  readonly attempt: string;
  /** True if the strict setting held, and the default one too unless the way leads over the network. */
  readonly ok: boolean;
  /** An attempt that does not get out here is none. */
  readonly without: Outcome;
  readonly with: Outcome;
  readonly auto: Outcome;
}

/** Plays an attempt three times, each in a world of its own. */
export async function playAttempt(attempt: Attempt, { strict, standard }: Sandboxes): Promise<Played> {
  const without = await outcomeOf(attempt, undefined);
  const inStrict = await outcomeOf(attempt, strict);
  const auto = await outcomeOf(attempt, standard);
  const ok = without === 'out' && inStrict === 'in' && (auto === 'in' || attempt.network === true);
  return { attempt: attempt.name, ok, without, with: inStrict, auto };
}

async function outcomeOf(attempt: Attempt, sandbox: Sandbox | undefined): Promise<Outcome> {
  const world = await World.open(sandbox);
  try {
    const output = await attempt.act(world);
    return (await attempt.escaped(world, output)) ? 'out' : 'in';
  } finally {
    await world.close();
  }
}
