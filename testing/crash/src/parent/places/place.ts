import type { Strike } from '../../life-plan.ts';

/** A strike that meets a process at one of its requests. */
export type RequestStrike = Extract<Strike, { at: 'request' }>;

/** The place of a round: a store that no other round uses. */
export interface Place {
  /** As `@conv/stores` takes it. */
  readonly address: string;
  /** Milliseconds without a sign of life after which an owner may be taken over. */
  readonly leaseTimeout: number;
  /** Makes owners that are stopped or dead old enough to be taken over, where that takes longer than a round can wait. */
  readonly stall: () => void;
  /** Has `strike` called when a request comes, where stores are asked over a network that the round is in the middle of. */
  readonly ambush: (plan: RequestStrike, strike: () => void) => void;
  /** A process has become the owner: what was held up on its way arrives now. */
  readonly opened: () => void;
  readonly close: () => Promise<void>;
}

/** Resources shared by the rounds on one kind of store, such as a server. */
export interface Ground {
  /** A place with nothing in it; what it keeps in files is in this folder. */
  readonly place: (folder: string, seed: number) => Promise<Place>;
  readonly close: () => Promise<void>;
}

/** A place of a store that judges the age of its owners by itself and that nothing has to be done for. */
export function plainPlace(address: string, leaseTimeout: number): Place {
  const nothing = (): void => {};
  return { address, leaseTimeout, stall: nothing, ambush: nothing, opened: nothing, close: async () => {} };
}
