import type {
  Conversation,
  ConversationState,
  Hooks,
  SecretVault,
  SecurityAnalyzer,
  StateFields,
  StoredAnalyzer,
  StoredHooks,
} from '@conv/core';

import type { SpendingLimit } from '../rules/budget.ts';
import type { LocalConversationOptions } from '../options/conversation-options.ts';
import type { RiskAssessments } from '../safeguards/risk-assessments.ts';

/** A child as its parent sees it. */
export interface ChildInside {
  readonly state: ConversationState;
  readonly risks: RiskAssessments;
  /** Totals by usage id, with the spending of its own children at work. */
  readonly spent: () => StateFields['stats'];
  /** Makes its own children as strict as it is. */
  readonly tighten: () => Promise<void>;
}

/** A parent as its child sees it, while the child works for it. */
export interface ChildHost {
  /** The number of conversations that the child is nested in. */
  readonly depth: number;
  /** The accepted state of the parent. */
  readonly parent: () => StateFields;
  /** The parent's limit of spending. */
  readonly budget: SpendingLimit;
  /** The parent's vault, if it has a vault. */
  readonly vault: SecretVault | undefined;
  /** Returns the parent's analyzer of this description, if the parent's caller gave it. */
  readonly analyzer: (description: StoredAnalyzer) => SecurityAnalyzer | undefined;
  /** Returns the parent's hooks, if they have this configuration. */
  readonly hooks: (config: StoredHooks) => Hooks | undefined;
  readonly folderOf: (id: string) => string | null;
  /** Called once, when the child is open. */
  readonly attach: (inside: ChildInside) => void;
}

export interface ChildOpening {
  readonly options: LocalConversationOptions;
  readonly host: ChildHost;
  /** The configuration of the child's hooks. */
  readonly hooks: StoredHooks | undefined;
}

/** Opens a child of a conversation. Rejects as opening a conversation does. */
export type OpenChild = (opening: ChildOpening) => Promise<Conversation>;
