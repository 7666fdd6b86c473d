import type { World } from '../world.ts';

/** A way out that an agent tries. */
export interface Attempt {
  readonly name: string;
  /** The way leads over the network, which the default setting leaves open. */
  readonly network?: boolean;
  /** The way takes what the machine has. */
  readonly exhausting?: boolean;
  /** Only the administrator of a machine can go this way. */
  readonly root?: boolean;
  /** False if this kernel or processor does not know the way. Default true. */
  readonly possible?: boolean;
  /** False if it is none in a container, or a container does not hold it and its documents say so. Default true. */
  readonly inContainer?: boolean;
  /** Tries it. Resolves with the output, which is all that the agent learns. */
  readonly act: (world: World) => Promise<string>;
  /** True if the attempt got out. */
  readonly escaped: (world: World, output: string) => boolean | Promise<boolean>;
}

/** A way out that a command tries. */
export interface CommandAttempt extends Omit<Attempt, 'act'> {
  readonly command: (world: World) => string;
}

/** Returns the attempt of an agent that runs the command by itself. */
export function asCommand({ command, ...attempt }: CommandAttempt): Attempt {
  return { ...attempt, act: (world) => world.run(command(world)) };
}
