import type { EventOfKind } from '@conv/core/events';

/**
 * Returns the value of a state update in words: the model of an agent, the kind of a policy or an analyzer, a plain value itself; `''` for
 * a larger value, such as the statistics, which the event holds as JSON.
 */
export function stateValue({ key, value }: Pick<EventOfKind<'ConversationStateUpdateEvent'>, 'key' | 'value'>): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value !== 'object') return String(value).replaceAll('_', key === 'execution_status' ? ' ' : '_');
  if (Object.keys(value).length === 0) return 'none';
  const { llm, kind } = value as { readonly llm?: { readonly model?: unknown } | null; readonly kind?: unknown };
  const word = key === 'agent' ? llm?.model : kind;
  return typeof word === 'string' ? word : '';
}
