import type { ConversationState } from '@conv/core';

import type { HowToBegin } from '../rules/begin-run.ts';
import type { SpendingLimit } from '../rules/budget.ts';
import type { Expiration } from '../rules/expired-questions.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import type { HistoryAtWork } from './history-at-work.ts';
import type { LazySession } from './lazy-session.ts';

export interface RunInput {
  readonly state: ConversationState;
  readonly session: LazySession;
  /** Limit of model responses. Default: the limit of the run that it resumes, or the limit in the state. */
  readonly maxIterations: number | undefined;
  readonly how: HowToBegin;
  /** Returns the time for which a question waits; `undefined` for no limit. */
  readonly expiration: () => Expiration | undefined;
  readonly safeguards: Safeguards;
  /** Messages on their way into the log. The run answers those sent before it, and does not end while any is on its way. */
  readonly messages: { readonly sending: Promise<unknown> | undefined };
  /** The limit of spending of the parent conversation. */
  readonly outerBudget: SpendingLimit | undefined;
  /** Forks in progress, which must not see a run begin, and a condensation. */
  readonly history: HistoryAtWork;
}
