import type {
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { isText, type MessageToolCall, type ReasoningItem, type ThinkingBlock } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { callIds, type LlmMessage } from '@conv/openhands/messages';
import { parseJson } from '../../base/json.ts';
import { callIdFor } from './prompt-call-id.ts';
import { laterReasoningOf } from './reasoning-items.ts';
import type { PromptTarget } from './prompt-target.ts';
import { defined } from '../../base/defined.ts';

type AssistantPart = LanguageModelV4ReasoningPart | LanguageModelV4TextPart | LanguageModelV4ToolCallPart;

/** Returns the output of the model: reasoning, text, calls. `images` is the number of its images in another message. */
export function assistantParts(message: LlmMessage, target: PromptTarget, images: number): AssistantPart[] {
  const texts = message.content.filter(isText).filter((part) => part.text.trim() !== '');
  return [
    ...reasoningParts(message, target),
    ...texts.map((part) => ({ type: 'text' as const, text: part.text })),
    ...(images === 0 ? [] : [{ type: 'text' as const, text: `[${images} image(s), shown below]` }]),
    ...(message.tool_calls ?? []).flatMap((call, index) => [
      ...(target.api === 'responses' ? itemParts(laterReasoningOf(message)?.get(index)) : []),
      callPart(call, target),
    ]),
  ];
}

function reasoningParts(message: LlmMessage, { api, name }: PromptTarget): LanguageModelV4ReasoningPart[] {
  if (api === 'messages') return message.thinking_blocks.flatMap(thinkingPart);
  if (api === 'responses') return itemParts(message.responses_reasoning_item);
  const text = message.reasoning_content ?? '';
  return api === 'chat' && text !== '' && wantsReasoning(name) ? [{ type: 'reasoning', text }] : [];
}

function thinkingPart(block: ThinkingBlock): LanguageModelV4ReasoningPart[] {
  if ('data' in block)
    return [{ type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: block.data } } }];
  const { thinking: text, signature } = block;
  // The provider refuses thinking that it did not sign.
  return signature ? [{ type: 'reasoning', text, providerOptions: { anthropic: { signature } } }] : [];
}

function itemParts(item: ReasoningItem | undefined): LanguageModelV4ReasoningPart[] {
  // Nothing is stored at the provider, so an item without its content is unknown there.
  if (!item?.id || !item.encrypted_content) return [];
  const openai = { itemId: item.id, reasoningEncryptedContent: item.encrypted_content };
  const summaries = item.summary === undefined || item.summary.length === 0 ? [''] : item.summary;
  return summaries.map((text) => ({ type: 'reasoning', text, providerOptions: { openai } }));
}

/** Models that need to read their earlier reasoning. */
const READS_REASONING = [
  'kimi-k3',
  'kimi-k2-thinking',
  'kimi-k2.5',
  'kimi-k2.6',
  'openrouter/minimax-m2',
  'deepseek/deepseek-reasoner',
  'deepseek/deepseek-v4-pro',
  'deepseek/deepseek-v4-flash',
];

function wantsReasoning(name: string): boolean {
  const lower = name.toLowerCase();
  return READS_REASONING.some((part) => lower.includes(part));
}

function callPart(call: MessageToolCall, { api }: PromptTarget): LanguageModelV4ToolCallPart {
  const input = parseJson(call.arguments);
  return {
    type: 'tool-call',
    toolCallId: callIdFor(call.id, api),
    toolName: callName(call.name),
    input: isObject(input) ? input : {},
    ...defined({ providerOptions: callOptions(call, api) }),
  };
}

function callOptions(call: MessageToolCall, api: PromptTarget['api']): SharedV4ProviderOptions | undefined {
  if (api === 'responses' && call.responses_item_id?.startsWith('fc'))
    return { openai: { itemId: call.responses_item_id } };
  const thoughtSignature = api === 'gemini' ? callIds.splitCallId(call.id).signature : undefined;
  return thoughtSignature ? { google: { thoughtSignature } } : undefined;
}

/**
 * Returns a called name in the characters that providers take, because models also call names that no tool can have.
 */
export function callName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}
