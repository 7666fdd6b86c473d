import type { Sandbox } from '@conv/core/tool';

import type { Attempt } from './attempts/attempt.ts';
import type { Contained } from './contained.ts';
import { World } from './world.ts';

/** `out`: the attempt reached what it must not. `in`: it did not. */
export type Outcome = 'out' | 'in';

/** The sandboxes that an attempt meets: the strictest setting, the default, and a list of hosts, which attempts over the network meet too. */
export interface Sandboxes {
  readonly strict: Sandbox;
  readonly standard: Sandbox;
  readonly hosts: Sandbox;
}

/** The outcomes of an attempt. */
export interface Played {
  readonly attempt: string;
  /** True if the strict setting held, and so did the default one, or the list of hosts if the way leads over the network. */
  readonly ok: boolean;
  /** An attempt that does not get out here is none. */
  readonly without: Outcome;
  readonly with: Outcome;
  readonly auto: Outcome;
  readonly hosts?: Outcome;
}

/** Plays an attempt in each setting, each time in a world of its own. */
export async function playAttempt(attempt: Attempt, { strict, standard, hosts }: Sandboxes): Promise<Played> {
  const without = await outcomeOf(attempt, undefined);
  const inStrict = await outcomeOf(attempt, strict);
  const auto = await outcomeOf(attempt, standard);
  const isHeld = without === 'out' && inStrict === 'in';
  const played = { attempt: attempt.name, without, with: inStrict, auto };
  if (attempt.network !== true) return { ...played, ok: isHeld && auto === 'in' };
  const inHosts = await outcomeOf(attempt, hosts);
  return { ...played, ok: isHeld && inHosts === 'in', hosts: inHosts };
}

/** The outcomes of an attempt without a sandbox and in a container. */
export interface PlayedInContainer {
  readonly attempt: string;
  /** True if the container held, or the way leads over the network, which is open, or the attempt could not be made. */
  readonly ok: boolean;
  readonly without: Outcome;
  /** `untried`: the image does not have the programs of the attempt. */
  readonly container: Outcome | 'untried';
  /** The programs that the image does not have. */
  readonly missing?: readonly string[];
}

/** Plays an attempt of a command without a sandbox and in a container. */
export async function playInContainer(attempt: Attempt, contained: Contained): Promise<PlayedInContainer> {
  const without = await outcomeOf(attempt, undefined);
  const outcome = await outcomeOf(attempt, undefined, contained);
  const { missing } = contained;
  const played = { attempt: attempt.name, without };
  if (missing.length > 0) return { ...played, ok: without === 'out', container: 'untried', missing };
  return { ...played, ok: without === 'out' && (outcome === 'in' || attempt.network === true), container: outcome };
}

/** True if an attempt that gets out without a container was tried in a container and held. */
export function isProved({ without, container }: PlayedInContainer): boolean {
  return without === 'out' && container === 'in';
}

async function outcomeOf(attempt: Attempt, sandbox: Sandbox | undefined, contained?: Contained): Promise<Outcome> {
  const world = await World.open(sandbox, contained);
  try {
    const output = await attempt.act(world);
    return (await attempt.escaped(world, output)) ? 'out' : 'in';
  } finally {
    await world.close();
  }
}
