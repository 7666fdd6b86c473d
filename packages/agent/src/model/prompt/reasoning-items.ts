import type { LanguageModelV4Content, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { type Event, isEvent, type ReasoningItem } from '@conv/core/events';
import { eventsToMessages, type LlmMessage } from '@conv/openhands/messages';
import { defined } from '../../base/defined.ts';

/** A message whose model also thought between its calls. */
export interface ThoughtfulMessage extends LlmMessage {
  /** The reasoning before each call by its index; that before the first call is `responses_reasoning_item`. */
  readonly laterReasoning?: ReadonlyMap<number, ReasoningItem>;
}

/** Returns the reasoning between the calls of a message. */
export function laterReasoningOf(message: LlmMessage): ReadonlyMap<number, ReasoningItem> | undefined {
  return (message as ThoughtfulMessage).laterReasoning;
}

export function reasoningItemsOf(message: LlmMessage): readonly ReasoningItem[] {
  const { responses_reasoning_item: first } = message;
  return [...(first === undefined ? [] : [first]), ...(laterReasoningOf(message)?.values() ?? [])];
}

/**
 * Reads the reasoning items of an answer, each with the call behind it; of an answer without calls the last item. A
 * call has room for one item: of several the item next to the call stays. Items behind the last call are dropped,
 * because no call follows them.
 */
export function readReasoningItems(
  content: readonly LanguageModelV4Content[],
): Pick<ThoughtfulMessage, 'responses_reasoning_item' | 'laterReasoning'> {
  const items = new Map<string, ReasoningItem>();
  const beforeCall: (ReasoningItem | undefined)[] = [];
  let current: string | undefined;
  for (const part of content) {
    if (part.type === 'reasoning') {
      const id = stringIn(part.providerMetadata, 'itemId');
      if (id === undefined) continue;
      items.set(id, withPart(items.get(id) ?? { id, summary: [] }, part.text, part.providerMetadata));
      current = id;
    } else if (part.type === 'tool-call' && part.providerExecuted !== true) {
      beforeCall.push(current === undefined ? undefined : items.get(current));
      current = undefined;
    }
  }
  const [first, ...later] = beforeCall.length === 0 ? [[...items.values()].at(-1)] : beforeCall;
  const between = later.flatMap((item, index) => (item === undefined ? [] : [[index + 1, item] as const]));
  const laterReasoning = between.length === 0 ? undefined : new Map(between);
  return defined({ responses_reasoning_item: first, laterReasoning });
}

/** Adds a part to an item. Each summary arrives as a part of its own, the encrypted content with any of them. */
function withPart(item: ReasoningItem, text: string, metadata: SharedV4ProviderMetadata | undefined): ReasoningItem {
  const encrypted = stringIn(metadata, 'reasoningEncryptedContent');
  return {
    ...item,
    ...(text === '' ? {} : { summary: [...(item.summary ?? []), text] }),
    ...defined({ encrypted_content: encrypted }),
  };
}

/** Returns the messages of a view with the reasoning between calls, which is stored with the calls behind it. */
export function thoughtfulMessages(view: readonly Event[]): readonly LlmMessage[] {
  const messages = eventsToMessages(view);
  const itemOf = new Map<string, ReasoningItem>();
  for (const event of view)
    if (isEvent(event, 'ActionEvent') && event.responses_reasoning_item)
      itemOf.set(event.tool_call_id, event.responses_reasoning_item);
  if (itemOf.size === 0) return messages;
  return messages.map((message): ThoughtfulMessage => {
    const between = (message.tool_calls ?? []).flatMap(({ id }, index) => {
      const item = index === 0 ? undefined : itemOf.get(id);
      return item === undefined ? [] : [[index, item] as const];
    });
    return between.length === 0 ? message : { ...message, laterReasoning: new Map(between) };
  });
}

/** Returns the first text of this name in any provider's metadata of a part. */
export function stringIn(metadata: SharedV4ProviderMetadata | undefined, key: string): string | undefined {
  const values = Object.values(metadata ?? {}).map((provider) => provider?.[key]);
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
