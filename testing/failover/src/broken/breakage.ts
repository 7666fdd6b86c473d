import type { Counter } from '../counters.ts';

/** Breakages on purpose; each shows in the counter beside it. */
export const BREAKAGES: Readonly<Record<Breakage, Counter>> = {
  /** The balancer says of some messages that a server has them, and none has. */
  forgetful: 'missing',
  /** The balancer sends some messages twice, without their keys. */
  doubling: 'duplicated',
  /** The balancer says of some messages that a server has them, and sends them later. */
  delaying: 'misordered',
  /** The model asks for commands that it asked for before. */
  repeating: 'executedTwice',
  /** Commands are executed that the model was never heard to ask for. */
  eager: 'contradicted',
  /** The model never comes to an end. */
  endless: 'unfinished',
};

/** Something that is broken on purpose, to show that the harness sees it. */
export type Breakage = 'forgetful' | 'doubling' | 'delaying' | 'repeating' | 'eager' | 'endless';
