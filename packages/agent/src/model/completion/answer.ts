import type { LanguageModelV4Content, LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import {
  type ContentPart,
  imageContent,
  type MessageToolCall,
  textContent,
  type ThinkingBlock,
} from '@conv/core/events';
import { callIds } from '@conv/openhands/messages';
import type { ModelApi } from '../model.ts';
import { readReasoningItems, stringIn, type ThoughtfulMessage } from '../prompt/reasoning-items.ts';
import { defined } from '../../base/defined.ts';

export interface RawAnswer {
  readonly content: readonly LanguageModelV4Content[];
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
  readonly responseId: string | undefined;
}

type Reasoning = Extract<LanguageModelV4Content, { type: 'reasoning' }>;
type Call = Extract<LanguageModelV4Content, { type: 'tool-call' }>;

/** The answer as the message that is stored. */
export function answerMessage(content: readonly LanguageModelV4Content[], api: ModelApi): ThoughtfulMessage {
  const text = content
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join(api === 'responses' ? '\n' : '');
  const calls = content.filter((part): part is Call => part.type === 'tool-call' && part.providerExecuted !== true);
  const reasoning = content.filter((part): part is Reasoning => part.type === 'reasoning');
  const reasoningText = reasoning
    .map((part) => part.text)
    .filter((part) => part !== '')
    .join('\n\n');
  return {
    role: 'assistant',
    content: [...(text.trim() === '' ? [] : [textContent(text)]), ...content.flatMap(imagePart)],
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => toolCall(call, api)) }),
    ...(reasoningText === '' ? {} : { reasoning_content: reasoningText }),
    thinking_blocks: reasoning.flatMap(thinkingBlock),
    ...readReasoningItems(content),
  };
}

function imagePart(part: LanguageModelV4Content): ContentPart[] {
  if (part.type !== 'file' || !part.mediaType.startsWith('image/')) return [];
  if (part.data.type === 'url') return [imageContent(String(part.data.url))];
  const { data } = part.data;
  const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
  return [imageContent(`data:${part.mediaType};base64,${base64}`)];
}

function toolCall(call: Call, api: ModelApi): MessageToolCall {
  const signature = stringIn(call.providerMetadata, 'thoughtSignature');
  const itemId = api === 'responses' ? stringIn(call.providerMetadata, 'itemId') : undefined;
  return {
    // Custom models may return calls without an id or a name, against their type; a call without a name gets an error.
    id: callIds.storedCallId(textOrNone(call.toolCallId), signature),
    ...defined({ responses_item_id: itemId }),
    name: textOrNone(call.toolName),
    // Some custom models return the parsed object, against their type.
    arguments: typeof call.input === 'string' ? call.input : JSON.stringify(call.input ?? {}),
    origin: api === 'responses' ? 'responses' : 'completion',
  };
}

function textOrNone(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function thinkingBlock(part: Reasoning): ThinkingBlock[] {
  const data = stringIn(part.providerMetadata, 'redactedData');
  if (data !== undefined) return [{ type: 'redacted_thinking', data }];
  const signature = stringIn(part.providerMetadata, 'signature');
  return signature === undefined ? [] : [{ type: 'thinking', thinking: part.text, signature }];
}
