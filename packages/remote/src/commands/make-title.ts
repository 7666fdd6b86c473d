import { checks, type AskResult, errorText } from '@conv/core';
import { contentParts, isEvent, isText } from '@conv/core/events';
import { warn } from '@conv/core/platform';

import type { RemoteState } from '../sync/remote-state.ts';

/** Asks the model a side question. */
export type Ask = (question: string, options: { readonly signal?: AbortSignal }) => Promise<AskResult>;

const DEFAULT_LENGTH = 50;

/** See `ConversationSettings.generateTitle`: the server's model is asked on the side. */
export async function makeTitle(
  state: RemoteState,
  ask: Ask,
  set: (title: string) => Promise<void>,
  options: { readonly maxLength?: number; readonly signal?: AbortSignal },
): Promise<string> {
  const { maxLength = DEFAULT_LENGTH, signal } = options;
  if (!Number.isInteger(maxLength) || maxLength < 1 || maxLength > checks.maxTitleLength)
    throw checks.invalid(
      `maxLength: expected a whole number from 1 to ${checks.maxTitleLength}, found ${String(maxLength)}`,
    );
  const before = state.title;
  const message = await firstMessage(state);
  if (message === undefined)
    throw checks.invalid(`conversation ${state.id} has no message of the user to make a title of; send one first`);
  const question = `Give this conversation a title of at most ${maxLength} characters. Answer with the title alone.`;
  const said = await ask(question, signal ? { signal } : {}).catch((error: unknown) => {
    signal?.throwIfAborted();
    if (state.title !== before) throw error;
    // a model that fails costs nothing but the better title
    const reason = errorText(error);
    warn(
      `the title of conversation ${state.id} is the beginning of its first message, because its model failed: ${reason}`,
      'TitleWarning',
    );
    return { text: '' };
  });
  if (state.title !== before && state.title !== null) return state.title;
  const title = shortened(said.text, maxLength) || shortened(message, maxLength);
  await set(title);
  return title;
}

async function firstMessage(state: RemoteState): Promise<string | undefined> {
  for await (const event of state.events) {
    if (!isEvent(event, 'MessageEvent') || event.source !== 'user') continue;
    const texts = contentParts(event.llm_message).filter(isText);
    const text = texts.map((part) => part.text).join(' ');
    if (text.trim() !== '') return text;
  }
  return undefined;
}

/** Returns the beginning of a text in one line. */
function shortened(text: string, maxLength: number): string {
  const line = text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/^["'“]+|["'”]+$/gu, '');
  if (line.length <= maxLength) return line;
  // do not cut a surrogate pair in half
  return `${line
    .slice(0, maxLength - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}
