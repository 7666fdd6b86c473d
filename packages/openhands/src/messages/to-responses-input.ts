import { isText, type MessageToolCall, type ReasoningItem } from '@conv/core/events';
import type { ResponsesInput, ResponsesItem, ResponsesPart } from './responses-input.ts';
import { MAX_TOOL_TEXT_CHARACTERS } from './to-chat-messages.ts';
import { truncateMiddle } from '@conv/core';
import type { LlmMessage } from './llm-message.ts';

const SYSTEM_SEPARATOR = '\n\n---\n\n';

/** The capabilities of the model and its provider. All default to false. */
export interface ResponsesFormatOptions {
  /** The model sees images; otherwise they are left out. */
  readonly vision?: boolean;
  /** A ChatGPT subscription: no reasoning is sent back, and the system text leads the first user message. */
  readonly subscription?: boolean;
}

/** The messages as the Responses interface takes them. */
export function toResponsesInput(
  messages: readonly LlmMessage[],
  options: ResponsesFormatOptions = {},
): ResponsesInput {
  const { vision = false, subscription = false } = options;
  const instructions = messages.flatMap(systemText).join(SYSTEM_SEPARATOR);
  const items = messages.flatMap((message) => itemsOf(message, vision));
  const unreasoned = items.filter(({ type }) => type !== 'reasoning');
  if (subscription) return { input: ledBy(instructions, unreasoned) };
  return instructions === '' ? { input: items } : { instructions, input: items };
}

function systemText(message: LlmMessage): string[] {
  if (message.role !== 'system') return [];
  const text = textsOf(message).join('\n').trim();
  return text === '' ? [] : [text];
}

function textsOf(message: LlmMessage): string[] {
  return message.content
    .filter(isText)
    .map(({ text }) => text)
    .filter((text) => text !== '');
}

function itemsOf(message: LlmMessage, vision: boolean): ResponsesItem[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [{ type: 'message', role: 'user', content: userParts(message, vision) }];
    case 'assistant':
      return assistantItems(message);
    case 'tool':
      return toolItems(message, vision);
  }
}

function userParts(message: LlmMessage, vision: boolean): ResponsesPart[] {
  const parts = message.content.flatMap((part): ResponsesPart[] => {
    if (isText(part)) return [{ type: 'input_text', text: part.text }];
    return vision ? part.image_urls.map(inputImage) : [];
  });
  return parts.length > 0 ? parts : [{ type: 'input_text', text: '' }];
}

function inputImage(url: string): ResponsesPart {
  return { type: 'input_image', image_url: url, detail: 'auto' };
}

function assistantItems(message: LlmMessage): ResponsesItem[] {
  const texts = textsOf(message).map((text) => ({ type: 'output_text' as const, text }));
  return [
    ...reasoningItems(message.responses_reasoning_item),
    ...(texts.length > 0 ? [{ type: 'message' as const, role: 'assistant' as const, content: texts }] : []),
    ...(message.tool_calls ?? []).map(functionCall),
  ];
}

function reasoningItems(item: ReasoningItem | undefined): ResponsesItem[] {
  if (!item?.id) return [];
  const { content, encrypted_content, status } = item;
  return [
    {
      type: 'reasoning',
      id: item.id,
      summary: (item.summary ?? []).map((text) => ({ type: 'summary_text', text })),
      ...(content ? { content: content.map((text) => ({ type: 'reasoning_text' as const, text })) } : {}),
      ...(encrypted_content ? { encrypted_content } : {}),
      ...(status ? { status } : {}),
    },
  ];
}

function functionCall(call: MessageToolCall): ResponsesItem {
  const id = call.responses_item_id ?? (call.id.startsWith('fc') ? call.id : `fc_${call.id}`);
  return { type: 'function_call', id, call_id: call.id, name: call.name, arguments: call.arguments };
}

function toolItems(message: LlmMessage, vision: boolean): ResponsesItem[] {
  const callId = message.tool_call_id;
  if (callId === undefined) throw new TypeError('a tool message needs tool_call_id');
  return message.content.flatMap((part): ResponsesItem[] => {
    if (isText(part)) {
      const output = truncateMiddle(part.text, MAX_TOOL_TEXT_CHARACTERS);
      return [{ type: 'function_call_output', call_id: callId, output }];
    }
    if (!vision) return [];
    return part.image_urls.map((url) => ({ type: 'function_call_output', call_id: callId, output: [inputImage(url)] }));
  });
}

/** Returns the items with a text put in front of the first user message's text, or into a new user message. */
function ledBy(text: string, items: readonly ResponsesItem[]): ResponsesItem[] {
  if (text === '') return [...items];
  const lead: ResponsesPart = { type: 'input_text', text };
  const first = items.findIndex((item) => item.type === 'message' && item.role === 'user');
  const message = items[first];
  if (message?.type !== 'message' || message.role !== 'user') {
    return [{ type: 'message', role: 'user', content: [lead] }, ...items];
  }
  return items.with(first, { ...message, content: [lead, ...message.content] });
}
