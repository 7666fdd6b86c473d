import { checks, type pastViews } from '@conv/core';

import { estimateTokens } from './estimate-tokens.ts';
import { messagesWithEvents, type MessageOfEvents } from './events-to-messages.ts';
import { cachePointsOf } from './mark-cache-points.ts';
import type { PastView } from './past-view.ts';

type Settled = NonNullable<PastView['settled']>;

/**
 * Resolves with the messages of a view at a point of a log: see `ConversationHistory.view`. Rejects `INVALID_INPUT` for a wrong page,
 * and as the reading of settled messages does.
 */
export async function modelViewOf(past: PastView, page?: pastViews.ViewPage): Promise<pastViews.ModelView> {
  const { from, limit } = checks.viewPage(page);
  const messages = withOrigins(messagesWithEvents(past.events), past);
  const { settled } = past;
  const count = messages.length + (settled?.count ?? 0);
  const first = Math.min(from ?? Math.max(0, count - limit), count);
  const span = { first, end: Math.min(first + limit, count) };
  return {
    events: past.end,
    messages: settled ? await pageWith(settled, past, messages, span) : messages.slice(span.first, span.end),
    first,
    count,
    tokens: messages.reduce((sum, { tokens }) => sum + tokens, settled?.tokens ?? 0),
    hidden: past.hidden,
    condensationRequested: past.condensationRequested,
  };
}

/** Resolves with a page of all messages; the settled messages are not among `messages`. */
async function pageWith(
  settled: Settled,
  { events }: PastView,
  messages: readonly pastViews.ViewMessage[],
  { first, end }: { readonly first: number; readonly end: number },
): Promise<readonly pastViews.ViewMessage[]> {
  const start = messagesWithEvents(events.slice(0, settled.after)).length;
  const within = (place: number): number => Math.max(0, Math.min(place - start, settled.count));
  const [from, to] = [within(first), within(end)];
  const behind = (place: number): number => Math.max(start, place - settled.count);
  return [
    ...messages.slice(first, Math.min(end, start)),
    ...(from < to ? await settledPage(settled, from, to, messages[start]?.cached === true) : []),
    ...messages.slice(behind(first), behind(end)),
  ];
}

/** The cache reaches over all settled messages or over none, because its points stand behind them. */
async function settledPage(
  { read }: Settled,
  from: number,
  to: number,
  cached: boolean,
): Promise<readonly pastViews.ViewMessage[]> {
  const page = await read(from, to);
  return messagesWithEvents(page.events)
    .slice(from - page.first, to - page.first)
    .map((message) => ({ ...withNumbers(message, page), cachePoint: false, cached }));
}

function withOrigins(all: readonly MessageOfEvents[], past: PastView): readonly pastViews.ViewMessage[] {
  const points = cachePointsOf(all.map(({ message }) => message));
  const cached = cachedMessages(all, past);
  return all.map((message, index) => ({
    ...withNumbers(message, past),
    cachePoint: points.has(index),
    cached: index < cached,
  }));
}

function withNumbers(
  { message, events }: MessageOfEvents,
  { numberOf }: Pick<PastView, 'numberOf'>,
): Pick<pastViews.ViewMessage, 'message' | 'events' | 'tokens'> {
  return {
    message,
    events: events.map(({ id }) => numberOf(id)).filter((number) => number !== undefined),
    tokens: events.reduce((sum, event) => sum + estimateTokens(event), 0),
  };
}

/**
 * Counts the messages that the last request began with, up to its cache point. The newest message of the agent answered that
 * request. A condensation since then changed all that follows the first message.
 */
function cachedMessages(all: readonly MessageOfEvents[], past: PastView): number {
  const numberOf = ({ events }: MessageOfEvents): number => past.numberOf(events[0]?.id ?? '') ?? -1;
  const answer = all.findLastIndex(({ message }) => message.role === 'assistant');
  const [system] = all;
  const leading = system?.message.role === 'system' ? 1 : 0;
  const condensed = past.hidden.reduce((newest, { by }) => Math.max(newest, by), -1);
  const answered = all[answer];
  if (answered === undefined) return condensed === -1 ? 0 : leading;
  if (condensed > numberOf(answered)) return leading;
  const sent = all.slice(0, answer).map(({ message }) => message);
  return Math.max(leading, ...[...cachePointsOf(sent)].map((index) => index + 1));
}
