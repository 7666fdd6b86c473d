import { type Event, isEvent } from '@conv/core/events';
import type { LlmMessage } from '@conv/openhands/messages';
import type { Platform } from '@conv/core/platform';
import { type MaskText, truncateMasked } from '../base/mask-text.ts';
import { complete, type Completion } from '../model/completion/complete.ts';
import { isLlmError, LlmError } from '../model/llm-error.ts';
import type { Model } from '../model/model.ts';
import { tagged } from '../base/tagged.ts';
import { inputLimit } from './count-tokens.ts';
import { eventText } from './event-text.ts';
import { SUMMARY_PROMPT } from './summary-prompt.ts';
import { plainMessage, saidIn } from '../base/messages.ts';

/** The usage id under which calls of condensers are counted. */
export const CONDENSER_USAGE_ID = 'condenser';

/** The most characters of a summary that are kept. */
const MAX_SUMMARY = 100_000;
/** Characters per token of the summariser's input: below the average, as a margin. */
const CHARACTERS_PER_TOKEN = 3.5;
/** Tokens of the prompt and of the answer. */
const OWN_TOKENS = 3000;
/** Maximum characters of one event in the record, the same as the agent's model gets of a result. */
const MAX_TEXT = 50_000;
/** The fewest characters from which a summary can be written. */
const MIN_CHARACTERS = 1000;

export interface SummaryRequest {
  readonly platform: Platform;
  readonly model: Model;
  readonly mask: MaskText;
  readonly signal: AbortSignal;
  /** Tries in all while the events are too long for the model. */
  readonly attempts: number;
  /** The share of the text that each further try leaves. */
  readonly scaling: number;
}

/** A summary, and the call that made it. */
export interface Summary {
  readonly text: string;
  readonly completion: Completion;
}

/**
 * Asks a model for notes on what happened. Texts of events are cut, the longest first, to what the model can read where that
 * is known, and further with each try that it finds too long. Rejects `LlmError`, `NO_RESPONSE` when nothing was said.
 */
export async function summarize(events: readonly Event[], request: SummaryRequest): Promise<Summary> {
  const { platform, model, mask, signal, attempts, scaling } = request;
  const texts = events.map((event) => ({ event, text: cutTo(eventText(event), MAX_TEXT, mask) }));
  let room = Math.min(
    texts.reduce((sum, { text }) => sum + text.length, 0),
    await roomIn(model),
  );
  for (let attempt = 1; ; attempt++) {
    const messages = question(texts, room, mask);
    const usageId = CONDENSER_USAGE_ID;
    try {
      return readSummary(await complete(model, { platform, messages, usageId, mask, signal }), request);
    } catch (error) {
      if (attempt >= attempts || !isLlmError(error, 'CONTEXT_WINDOW_EXCEEDED')) throw error;
      room = Math.floor(room * scaling);
    }
  }
}

async function roomIn(model: Model): Promise<number> {
  const limit = await inputLimit(model);
  return limit === undefined ? Infinity : Math.max(MIN_CHARACTERS, (limit - OWN_TOKENS) * CHARACTERS_PER_TOKEN);
}

interface EventInWords {
  readonly event: Event;
  readonly text: string;
}

function question(texts: readonly EventInWords[], room: number, mask: MaskText): readonly LlmMessage[] {
  const longest = evenCut(
    texts.map(({ text }) => text.length),
    room,
  );
  const cut = texts.map(({ event, text }) => ({ event, text: cutTo(text, longest, mask) }));
  const notes = cut.filter(({ event }) => isEvent(event, 'CondensationSummaryEvent')).map(({ text }) => text);
  const record = cut.filter(({ event }) => !isEvent(event, 'CondensationSummaryEvent')).map(({ text }) => text);
  const parts = [...(notes.length === 0 ? [] : [tagged('notes', notes)]), tagged('record', record)];
  return [plainMessage('system', SUMMARY_PROMPT), plainMessage('user', parts.join('\n\n'))];
}

function cutTo(text: string, limit: number, mask: MaskText): string {
  return truncateMasked(text, limit, mask, ' […] ');
}

/** Returns the maximum length per text with which all texts together have at most `room` characters. */
function evenCut(lengths: readonly number[], room: number): number {
  let left = room;
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}

function readSummary(completion: Completion, { model, mask }: SummaryRequest): Summary {
  const text = saidIn(completion.message).trim();
  if (text === '') throw new LlmError('NO_RESPONSE', `${model.name}: expected a summary as the answer, found no text`);
  return { text: truncateMasked(text, MAX_SUMMARY, mask), completion };
}
