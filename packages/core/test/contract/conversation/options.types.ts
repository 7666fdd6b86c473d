import type { Conversation, ConfirmationPolicyInput, MessageInput, SecurityAnalyzer } from '../../../src/index.ts';
import type { SecurityAnalyzerDescription } from '../../../src/contract/state/stored-analyzer.ts';

const policies: readonly ConfirmationPolicyInput[] = [
  { kind: 'AlwaysConfirm' },
  { kind: 'NeverConfirm' },
  { kind: 'ConfirmRisky' },
  { kind: 'ConfirmRisky', threshold: 'MEDIUM', confirm_unknown: false },
  // @ts-expect-error there is no such kind
  { kind: 'AllwaysConfirm' },
  // @ts-expect-error there is no such threshold
  { kind: 'ConfirmRisky', threshold: 'medium' },
  // @ts-expect-error a misspelt member
  { kind: 'ConfirmRisky', treshold: 'LOW' },
];

const analyzers: readonly (SecurityAnalyzer | SecurityAnalyzerDescription)[] = [
  { kind: 'LLMSecurityAnalyzer' },
  { kind: 'EnsembleSecurityAnalyzer', analyzers: [{ kind: 'PatternSecurityAnalyzer' }] },
  { describe: () => ({ kind: 'Mine' }), assess: () => ({ risk: 'LOW', reasons: [] }) },
  // @ts-expect-error there is no such kind
  { kind: 'PaternSecurityAnalyzer' },
];

const messages: readonly MessageInput[] = [
  'text',
  ['text', { type: 'text', text: 'more' }],
  { role: 'user', content: 'text' },
  { role: 'user', content: [{ type: 'text', text: 'text' }] },
  [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }],
  // @ts-expect-error the agent's messages are its own
  { role: 'human', content: 'text' },
  // @ts-expect-error there is no such part
  [{ type: 'txt', text: 'text' }],
];

/** Types of settings; compiled by the type check, never run. */
export async function settings(conversation: Conversation): Promise<void> {
  for (const policy of policies) await conversation.settings.setConfirmationPolicy(policy);
  for (const analyzer of analyzers) await conversation.settings.setSecurityAnalyzer(analyzer);
  for (const message of messages) await conversation.sendMessage(message);
  // @ts-expect-error there is no such kind
  await conversation.settings.setConfirmationPolicy({ kind: 'Sometimes' });
}
