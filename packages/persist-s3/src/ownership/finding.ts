/** Failure in the background that the store dealt with; no promise depends on it. */
export type Finding =
  /** Making a pack of slots failed. The store tries again after more commits. */
  | { readonly kind: 'packFailed'; readonly conversationId: string; readonly error: unknown }
  /** Writing the summary failed, so lists are older than they should be. The next change tries again. */
  | { readonly kind: 'summaryFailed'; readonly conversationId: string; readonly error: unknown }
  /** Giving up a conversation failed. Another store may take it over when this store is closed or its heartbeat is too old. */
  | { readonly kind: 'releaseFailed'; readonly conversationId: string; readonly error: unknown }
  /** Renewing the heartbeat failed. Other stores may take conversations over if that continues. */
  | { readonly kind: 'signFailed'; readonly error: unknown }
  /** Writing or comparing the shared list failed. Lists cost more requests until it succeeds; the next ones try again after a minute. */
  | { readonly kind: 'listFailed'; readonly error: unknown };

/** Receives each finding. */
export type Report = (finding: Finding) => void;
