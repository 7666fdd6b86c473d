import type { LifePlan } from './life-plan.ts';

/** Plan of one of two writers until it is told to end. Handed over as JSON. */
export interface WriterPlan extends Pick<
  LifePlan,
  'address' | 'leaseTimeout' | 'conversationId' | 'breakage' | 'seed'
> {
  /** 1 or 2. */
  readonly writer: number;
  readonly strike: null;
}
