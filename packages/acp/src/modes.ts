import type { SessionModeState } from '@agentclientprotocol/sdk';
import type {
  ConfirmationPolicyInput,
  Conversation,
  ConversationView,
  SecurityAnalyzer,
  SecurityAnalyzerDescription,
} from '@conv/core';
import { isObject } from '@conv/core/platform';
import { askAgain } from '@conv/turns';

/** A mode that a person chooses in the editor: which calls wait for permission. */
export interface EditorMode {
  readonly id: string;
  /** The name that the person reads. */
  readonly name: string;
  readonly description?: string;
  readonly policy: ConfirmationPolicyInput;
  /** Rates calls for the policy. Default: the analyzer of the conversation stays. */
  readonly analyzer?: SecurityAnalyzer | SecurityAnalyzerDescription;
}

/** The modes that editors offer unless others are given, from the strictest on. */
export const EDITOR_MODES: readonly EditorMode[] = [
  {
    id: 'ask',
    name: 'Ask always',
    description: 'Every call waits for your permission.',
    policy: { kind: 'AlwaysConfirm' },
  },
  {
    id: 'ask-risky',
    name: 'Ask when risky',
    description: 'Calls of medium, high or unknown risk wait for your permission.',
    policy: { kind: 'ConfirmRisky', threshold: 'MEDIUM' },
  },
  { id: 'never-ask', name: 'Never ask', description: 'No call waits.', policy: { kind: 'NeverConfirm' } },
];

/** The id of a policy that no mode has. It can be left and not chosen. */
const OTHER = 'other';

/** Returns the modes and the current one. A policy that no mode has is a mode of its own while it is in force. */
export function modeState(
  { confirmationPolicy }: Pick<ConversationView, 'confirmationPolicy'>,
  modes: readonly EditorMode[],
): SessionModeState {
  const availableModes = modes.map(({ id, name, description = null }) => ({ id, name, description }));
  const current = modes.find(({ policy }) => ruleOf(policy) === ruleOf(confirmationPolicy));
  if (current) return { currentModeId: current.id, availableModes };
  const other = { id: OTHER, name: 'Set elsewhere', description: JSON.stringify(confirmationPolicy) };
  return { currentModeId: OTHER, availableModes: [...availableModes, other] };
}

/** Sets the policy of a mode, and ends standing approvals. Resolves when that is durable. */
export async function applyMode(conversation: Conversation, { analyzer, policy }: EditorMode): Promise<void> {
  const { settings } = conversation;
  // ratings first, because a policy without them asks about everything
  if (analyzer) await settings.setSecurityAnalyzer(analyzer);
  await settings.setConfirmationPolicy(policy);
  await askAgain(conversation);
}

/** Returns a text that is the same for policies with the same meaning. */
function ruleOf(policy: unknown): string {
  const { kind, threshold = 'HIGH', confirm_unknown: unknown = true } = isObject(policy) ? policy : {};
  return JSON.stringify(kind === 'ConfirmRisky' ? [kind, threshold, unknown] : [kind]);
}
