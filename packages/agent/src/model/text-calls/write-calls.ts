import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { truncateMiddle } from '@conv/core';
import { type ContentPart, isText, type MessageToolCall, textContent } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import type { LlmMessage } from '@conv/openhands/messages';
import { parseJson } from '../../base/json.ts';
import { callName } from '../prompt/assistant-parts.ts';
import { MAX_TOOL_TEXT } from '../prompt/content-parts.ts';
import { END_OF_CALL } from './call-tags.ts';
import { resultHead, toolsAsText } from './tools-as-text.ts';

/**
 * Returns a history for a model that knows no calls: calls stand in the text of the model, in the form that OpenHands uses, results are messages of the
 * user, and the system prompt describes the tools. Without tools it only rewrites the history.
 */
export function withCallsAsText(
  messages: readonly LlmMessage[],
  tools: readonly LanguageModelV4FunctionTool[],
): readonly LlmMessage[] {
  const written = messages.map((message) => {
    if (message.role === 'assistant') return withWrittenCalls(message);
    return message.role === 'tool' ? asUserMessage(message) : message;
  });
  return tools.length === 0 ? written : withTools(written, textContent(toolsAsText(tools)));
}

/** Appends a text to the first system message, or puts a system message in front. */
function withTools(messages: readonly LlmMessage[], text: ContentPart): readonly LlmMessage[] {
  const first = messages.findIndex(({ role }) => role === 'system');
  if (first === -1) return [{ role: 'system', content: [text], thinking_blocks: [] }, ...messages];
  return messages.map((message, index) =>
    index === first ? { ...message, content: [...message.content, text] } : message,
  );
}

function withWrittenCalls({ tool_calls: calls = [], ...message }: LlmMessage): LlmMessage {
  if (calls.length === 0) return message;
  const text = calls.map(writtenCall).join('\n');
  // providers put the parts of a text together without anything between
  const isFirst = !message.content.some((part) => isText(part) && part.text.trim() !== '');
  return { ...message, content: [...message.content, textContent(isFirst ? text : `\n\n${text}`)] };
}

/** Returns a call as the model is asked to write it. */
function writtenCall({ name, arguments: text }: MessageToolCall): string {
  const parsed = parseJson(text);
  const parameters = Object.entries(isObject(parsed) ? parsed : {}).map(([parameter, value]) => {
    const written = typeof value === 'string' ? value : JSON.stringify(value);
    return `<parameter=${parameter}>${written.includes('\n') ? `\n${written}\n` : written}</parameter>`;
  });
  return [`<function=${callName(name)}>`, ...parameters, END_OF_CALL].join('\n');
}

/** The id of the call is left out with it: results follow their calls. */
function asUserMessage({ content, name = '', thinking_blocks }: LlmMessage): LlmMessage {
  const head = resultHead(callName(name));
  const shown = content
    .filter((part) => !isText(part) || part.text.trim() !== '')
    .map((part) => (isText(part) ? { ...part, text: truncateMiddle(part.text, MAX_TOOL_TEXT) } : part));
  const [first = textContent('(no output)'), ...rest] = shown;
  // one part where it can be one, because some servers take no lists of texts
  const begin = isText(first) ? [{ ...first, text: `${head}\n${first.text}` }] : [textContent(head), first];
  return { role: 'user', content: [...begin, ...rest], thinking_blocks };
}
