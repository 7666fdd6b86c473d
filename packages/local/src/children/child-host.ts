import type { SpendingLimit } from '../rules/budget.ts';
import type {
  Conversation,
  ConversationState,
  Hooks,
  JsonObject,
  SecretVault,
  SecurityAnalyzer,
  StateFields,
} from '@conv/core';

import type { LocalConversationOptions } from '../options/conversation-options.ts';
import type { RiskBook } from '../safeguards/risk-assessments.ts';

/** What the one that a child works for sees of it. */
export interface ChildInside {
  readonly state: ConversationState;
  readonly risks: RiskBook;
  /** Totals by usage id, with what its own children at work have spent. */
  readonly spent: () => StateFields['stats'];
  /** Has its own children become as strict as it is. */
  readonly tighten: () => Promise<void>;
}

/** What a conversation has of the one that it works for, while it does. */
export interface ChildHost {
  /** How many conversations it is nested in. */
  readonly depth: number;
  /** The state of the one that it works for, as accepted. */
  readonly parent: () => StateFields;
  /** What that one may still spend. */
  readonly budget: SpendingLimit;
  /** That one's vault, when it has one. */
  readonly vault: SecretVault | undefined;
  /** That one's analyzer of this description, when its caller gave one. */
  readonly analyzer: (description: JsonObject) => SecurityAnalyzer | undefined;
  /** That one's hooks, when they have this configuration. */
  readonly hooks: (config: JsonObject) => Hooks | undefined;
  readonly folderOf: (id: string) => string | null;
  /** Told once, when the child is open. */
  readonly attach: (inside: ChildInside) => void;
}

/** How a child is opened. */
export interface ChildOpening {
  readonly options: LocalConversationOptions;
  readonly host: ChildHost;
  /** A configuration of hooks for it. */
  readonly hooks: JsonObject | undefined;
}

/** Opens a child of a conversation. Rejects as opening a conversation does. */
export type OpenChild = (opening: ChildOpening) => Promise<Conversation>;
