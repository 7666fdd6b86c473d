import { checks, abortable, ConversationError, errorText } from '@conv/core';
import { contentParts, isEvent, isText, type Event } from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';

import { seenBy } from '../safeguards/prompt-hooks.ts';
import type { CommandDeps } from './command-deps.ts';

const DEFAULT_LENGTH = 50;

/** Maximum characters of the message that the model reads. */
const MAX_READ = 1000;

/** Options of a title. */
interface TitleOptions {
  /** Characters. Default 50. */
  readonly maxLength?: number;
  /** Request to the model in the place of the usual question, as `titleFor` of `@conv/agent` takes it. */
  readonly prompt?: string;
  readonly signal?: AbortSignal;
}

/** See {@link ConversationSettings.generateTitle}. The title is made from the first message of the conversation. */
export async function generateTitle(
  deps: CommandDeps,
  { maxLength = DEFAULT_LENGTH, prompt, signal }: TitleOptions = {},
): Promise<string> {
  const { state, lifetime } = deps;
  if (!Number.isInteger(maxLength) || maxLength < 1 || maxLength > checks.maxTitleLength)
    throw checks.invalid(
      `maxLength: expected a whole number from 1 to ${checks.maxTitleLength}, found ${String(maxLength)}`,
    );
  const until = AbortSignal.any([lifetime.ended, ...(signal ? [signal] : [])]);
  until.throwIfAborted();
  const before = state.accepted.title;
  const { id, text: message } = await firstMessage(state);
  // no model sees a message that a hook has blocked or is still to check
  const isShown = seenBy(state.fields)?.({ id }) ?? true;
  const asked = { message: clipped(message, MAX_READ), maxLength, prompt };
  const { text, record }: Said = isShown ? await ask(deps, asked, until) : { text: '' };
  const title = shortened(text, maxLength) || shortened(message, maxLength);
  return state.transaction((transaction) => {
    if (record) transaction.record(record);
    const { title: now } = transaction.state;
    if (now !== null && now !== before) return now;
    transaction.update({ set: { title } });
    return title;
  });
}

async function firstMessage(state: CommandDeps['state']): Promise<{ readonly id: string; readonly text: string }> {
  for await (const event of state.events.walk(state.leafEventId)) {
    const text = oneLine(userText(event));
    if (text !== '') return { id: event.id, text };
  }
  const message = `conversation ${state.id} has no message of the user to make a title of; send one first`;
  throw new ConversationError('INVALID_INPUT', message, { conversationId: state.id });
}

/** Asks the model for a title. A failure costs only the better title; a process warning tells the reason. */
async function ask(
  { state: { id, mask }, session }: CommandDeps,
  { message, maxLength, prompt }: Asked,
  signal: AbortSignal,
): Promise<Said> {
  try {
    const agent = await abortable(session.get(), signal);
    if (!agent.title) return { text: '' };
    const { text, record } = await abortable(agent.title(message, maxLength, signal, prompt), signal);
    return { text: oneLine(mask.text(text)), record };
  } catch (error) {
    signal.throwIfAborted();
    const reason = errorText(error);
    process.emitWarning(
      `the title of conversation ${id} is the beginning of its first message, because its model failed: ${mask.text(reason)}`,
      'TitleWarning',
    );
    return { text: '' };
  }
}

interface Asked {
  readonly message: string;
  readonly maxLength: number;
  readonly prompt: string | undefined;
}

interface Said {
  readonly text: string;
  readonly record?: CallRecord;
}

function userText(event: Event): string {
  if (!isEvent(event, 'MessageEvent') || event.source !== 'user') return '';
  return contentParts(event.llm_message)
    .filter(isText)
    .map(({ text }) => text)
    .join('\n');
}

/** Made at the first use, because it loads Unicode tables, which takes a tenth of the time to load the package. */
let graphemes: Intl.Segmenter | undefined;

/** Returns the text in one line: white space and control characters become single spaces. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** Returns the beginning of a text: whole graphemes, at most `limit` code units. */
function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  // a grapheme is never this long, and only the beginning is needed
  for (const { segment, index } of graphemes.segment(text.slice(0, limit + 64))) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** As {@link clipped}, but prefers to end after a word, and ends with an ellipsis if it left text out. */
function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const beginning = clipped(text, limit - 1);
  const space = beginning.lastIndexOf(' ');
  const words = space > limit / 2 ? beginning.slice(0, space) : beginning;
  return `${words.trimEnd()}…`;
}
