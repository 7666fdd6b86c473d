/** Deliberate defects, each with the counter that must show it. */
export const BREAKAGES = {
  /** The store acknowledges a commit before it stores it. */
  early: 'lost',
  /** The store stores a commit twice. */
  doubling: 'duplicated',
  /** The store stores two concurrent commits in reverse order. */
  swapping: 'misordered',
  /** No third owner can open. */
  sealed: 'unopenable',
  /** Results of interrupted calls are not stored. */
  forgetful: 'orphanedCalls',
  /** Changes of policy, analyzer and limit are not stored. */
  weakening: 'weakenedSettings',
  /** The store does not notice a takeover. */
  unfenced: 'lost',
} as const;

/** A deliberate defect, which shows that the harness detects it. */
export type Breakage = keyof typeof BREAKAGES;
