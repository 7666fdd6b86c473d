import type { ConversationState } from '@conv/core';

import type { ActiveRun } from '../run/active-run.ts';
import type { LazySession } from '../run/lazy-session.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import type { Lifetime } from './lifetime.ts';

/** The parts of a conversation that its commands share. */
export interface CommandDeps {
  readonly state: ConversationState;
  readonly safeguards: Safeguards;
  readonly session: LazySession;
  readonly active: ActiveRun;
  readonly lifetime: Lifetime;
}
