/** Breakages on purpose; each shows in the counter beside it. */
export const BREAKAGES = {
  /** The store acknowledges a commit a while before it stores it. */
  early: 'lost',
  /** The store keeps a commit twice. */
  doubling: 'duplicated',
  /** Of two commits at the same time the store keeps the later first. */
  swapping: 'misordered',
  /** No third owner can open. */
  sealed: 'unopenable',
  /** Results of interrupted calls are not stored. */
  forgetful: 'orphanedCalls',
  /** Changes of policy, analyzer and limit are not stored. */
  weakening: 'weakenedSettings',
  /** The store does not see that another has taken over. */
  unfenced: 'lost',
} as const;

/** Something that is broken on purpose, to show that the harness sees it. */
export type Breakage = keyof typeof BREAKAGES;
