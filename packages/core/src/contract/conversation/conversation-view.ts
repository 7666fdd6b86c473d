import type { ActionEvent, MessageEvent, SecurityRisk } from '../../events/index.ts';
import type { StateFields } from '../state/fields.ts';
import type { Task } from '../state/task.ts';

/** An action that waits for a person's decision. */
export interface PendingAction extends ActionEvent {
  /** The risk that held the action: the analyzer's rating if there is one, else the model's own. */
  readonly security_risk?: SecurityRisk;
  /** The analyzer's reasons for that risk; empty without an analyzer's rating. */
  readonly reasons: readonly string[];
}

/** The totals over all uses of a model. */
export interface Metrics {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars. */
  readonly totalCost: number;
  readonly llmCallCount: number;
}

/** The durable state of a conversation, for reading. */
export interface ConversationView extends StateFields {
  /** Executable actions of the live branch without a result, oldest first. */
  readonly pendingActions: readonly PendingAction[];
  /** Model responses on the live branch. */
  readonly iteration: number;
  readonly taskList: readonly Task[];
  readonly metrics: Metrics;
  /** The messages of user and agent on the live branch. */
  conversationHistory(): Promise<readonly MessageEvent[]>;
  /** True if an analyzer is set and the policy is not NeverConfirm (P10). It only reports; the policy alone decides. */
  readonly isConfirmationModeActive: boolean;
  /** True if the policy is not NeverConfirm. */
  readonly confirmationPolicyActive: boolean;
}
