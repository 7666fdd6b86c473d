import type { World } from '../world.ts';

/** A way out that a command tries. */
export interface Attempt {
  readonly name: string;
  /** The way leads over the network, which the default setting leaves open. */
  readonly network?: boolean;
  /** Only the administrator of a machine can go this way. */
  readonly root?: boolean;
  readonly command: (world: World) => string;
  /** True if the command got out. `output`: what it printed, which is all that its agent learns. */
  readonly escaped: (world: World, output: string) => boolean | Promise<boolean>;
}
