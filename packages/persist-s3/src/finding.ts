/** What went wrong in the background and was dealt with: no promise depends on it. */
export type Finding =
  /** Slots could not be put together into a pack. It is tried again after more commits. */
  | { readonly kind: 'packFailed'; readonly conversationId: string; readonly error: unknown }
  /** What lists say is older than it should be. It is tried again with the next change. */
  | { readonly kind: 'summaryFailed'; readonly conversationId: string; readonly error: unknown }
  /** A conversation could not be given up; others may take it over when this store is closed or has not been heard of. */
  | { readonly kind: 'releaseFailed'; readonly conversationId: string; readonly error: unknown }
  /** A sign of life could not be given. Others may take conversations over when it goes on. */
  | { readonly kind: 'signFailed'; readonly error: unknown };

/** Receives what was found. */
export type Report = (finding: Finding) => void;
