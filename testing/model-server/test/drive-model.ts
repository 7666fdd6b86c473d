import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';

/** The real providers of the AI SDK, each pointed at a server. */
export const models: Readonly<Record<string, (baseURL: string) => LanguageModelV4>> = {
  'openai-compatible': (baseURL) =>
    createOpenAICompatible({ name: 'scripted', baseURL, apiKey: 'key', includeUsage: true })('scripted-model'),
  'openai chat': (baseURL) => createOpenAI({ baseURL, apiKey: 'key' }).chat('gpt-4o'),
  'openai responses': (baseURL) => createOpenAI({ baseURL, apiKey: 'key' }).responses('gpt-5'),
  anthropic: (baseURL) => createAnthropic({ baseURL, apiKey: 'key' })('claude-sonnet-4-5'),
};

export type Drive = (model: LanguageModelV4, options: LanguageModelV4CallOptions) => Promise<DriveResult>;
export type DriveResult = Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage'>;

/** The two ways to ask a model, with one kind of result. */
export const drives: Readonly<Record<string, Drive>> = {
  doGenerate: async (model, options) => model.doGenerate(options),
  doStream: async (model, options) => collect(await partsOf(model, options)),
};

export async function partsOf(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream(options);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

function collect(parts: readonly LanguageModelV4StreamPart[]): DriveResult {
  const content: LanguageModelV4Content[] = [];
  const open = new Map<
    string,
    { type: 'text' | 'reasoning'; text: string; providerMetadata?: SharedV4ProviderMetadata }
  >();
  for (const part of parts) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'tool-call') content.push(part);
    if (part.type === 'text-start' || part.type === 'reasoning-start') {
      const block = { type: part.type === 'text-start' ? ('text' as const) : ('reasoning' as const), text: '' };
      open.set(part.id, block);
      content.push(block);
    }
    if (!('id' in part) || part.id === undefined) continue;
    const block = open.get(part.id);
    if (block === undefined) continue;
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') block.text += part.delta;
    if ('providerMetadata' in part && part.providerMetadata !== undefined)
      block.providerMetadata = part.providerMetadata;
  }
  const finish = parts.findLast((part) => part.type === 'finish');
  if (finish === undefined) throw new Error('the stream has no finish part');
  return { content, finishReason: finish.finishReason, usage: finish.usage };
}

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

/** Returns a model's answer as the message that goes back to it; metadata (item ids, signatures) goes along. */
export function assistantMessage(content: readonly LanguageModelV4Content[]): LanguageModelV4Message {
  return {
    role: 'assistant',
    content: content.flatMap((part): AssistantPart[] => {
      if (part.type !== 'text' && part.type !== 'reasoning' && part.type !== 'tool-call') return [];
      const { providerMetadata, ...rest } = part;
      const kept = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
      if (rest.type !== 'tool-call') return [{ ...rest, ...kept }];
      const { toolCallId, toolName, input } = rest;
      return [{ type: 'tool-call' as const, toolCallId, toolName, input: JSON.parse(input) as unknown, ...kept }];
    }),
  };
}
