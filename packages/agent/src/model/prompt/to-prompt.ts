import type { PromptTarget } from './prompt-target.ts';
import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isText } from '@conv/core/events';
import type { LlmMessage } from '@conv/openhands/messages';
import { assistantParts, callName } from './assistant-parts.ts';
import { type PromptPart, toolOutput, toParts } from './content-parts.ts';
import { callIdFor } from './prompt-call-id.ts';

const CACHE_MARK: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * Returns the messages in the form that an AI SDK model takes. Leaves out everything that a provider would refuse:
 * empty messages, reasoning without the content behind it, reasoning that another provider signed. System messages come
 * first, because all providers want that.
 */
export function toPrompt(messages: readonly LlmMessage[], target: PromptTarget): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  let images: PromptPart[] = [];
  for (const message of systemFirst(messages)) {
    if (message.role !== 'tool') images = flushImages(prompt, images);
    if (message.role === 'system') prompt.push(...systemMessages(message, target));
    else if (message.role === 'user') appendUser(prompt, toParts(message.content, target));
    else if (message.role === 'assistant') images.push(...appendAssistant(prompt, message, target));
    else images.push(...appendResult(prompt, message, target));
  }
  flushImages(prompt, images);
  return target.api === 'messages' ? withCacheMark(prompt) : prompt;
}

/** Puts system messages first. A summary may stand before them, where a condensation put it. */
function systemFirst(messages: readonly LlmMessage[]): readonly LlmMessage[] {
  const isSystem = ({ role }: LlmMessage): boolean => role === 'system';
  return [...messages.filter(isSystem), ...messages.filter((message) => !isSystem(message))];
}

function systemMessages(message: LlmMessage, { api }: PromptTarget): LanguageModelV4Message[] {
  const texts = message.content
    .filter(isText)
    .map((part) => part.text.trim())
    .filter((text) => text !== '');
  // Only Anthropic gains from two system messages: the first is the same in all conversations and cached for all of
  // them.
  const contents = api === 'messages' ? texts : texts.length === 0 ? [] : [texts.join('\n\n')];
  return contents.map((content, index) => ({
    role: 'system',
    content,
    ...(api === 'messages' && index === 0 ? { providerOptions: CACHE_MARK } : {}),
  }));
}

function appendUser(prompt: LanguageModelV4Prompt, parts: PromptPart[]): void {
  const last = prompt.at(-1);
  if (last?.role === 'user') last.content.push(...parts);
  // Providers refuse messages without text, and an empty message of the user is still a turn.
  else prompt.push({ role: 'user', content: parts.length === 0 ? [{ type: 'text', text: '(empty message)' }] : parts });
}

/** Adds the model's own message and returns its images, because providers take only text in such a message. */
function appendAssistant(prompt: LanguageModelV4Prompt, message: LlmMessage, target: PromptTarget): PromptPart[] {
  const images = toParts(message.content, target).filter((part) => part.type === 'file');
  const content = assistantParts(message, target, images.length);
  if (content.some((part) => part.type !== 'reasoning')) prompt.push({ role: 'assistant', content });
  return images;
}

/** Adds a tool's result and returns the images that its message cannot carry. */
function appendResult(prompt: LanguageModelV4Prompt, message: LlmMessage, target: PromptTarget): PromptPart[] {
  const { output, images } = toolOutput(message.content, target);
  const toolCallId = callIdFor(message.tool_call_id ?? '', target.api);
  const part = { type: 'tool-result' as const, toolCallId, toolName: callName(message.name ?? ''), output };
  const last = prompt.at(-1);
  if (last?.role === 'tool') last.content.push(part);
  else prompt.push({ role: 'tool', content: [part] });
  return images;
}

/** Appends the images as a message of the user, because results in Chat Completions cannot hold images. */
function flushImages(prompt: LanguageModelV4Prompt, images: PromptPart[]): PromptPart[] {
  if (images.length > 0) appendUser(prompt, [{ type: 'text', text: 'Images from above:' }, ...images]);
  return [];
}

function withCacheMark(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const last = prompt.findLast(({ role }) => role === 'user' || role === 'tool');
  if (last !== undefined) last.providerOptions = CACHE_MARK;
  return prompt;
}
