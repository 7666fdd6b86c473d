import { checks, type pastViews } from '@conv/core';

import { estimateTokens } from './estimate-tokens.ts';
import { messagesWithEvents, type MessageOfEvents } from './events-to-messages.ts';
import { cachePointsOf } from './mark-cache-points.ts';

/** Returns the messages of a view at a point of a log: see `ConversationHistory.view`. Throws `INVALID_INPUT` for a wrong page. */
export function modelViewOf(past: pastViews.PastView, page?: pastViews.ViewPage): pastViews.ModelView {
  const { from, limit } = checks.viewPage(page);
  const all = messagesWithEvents(past.events);
  const messages = withOrigins(all, past);
  const first = Math.min(from ?? Math.max(0, messages.length - limit), messages.length);
  return {
    events: past.end,
    messages: messages.slice(first, first + limit),
    first,
    count: messages.length,
    tokens: messages.reduce((sum, { tokens }) => sum + tokens, 0),
    hidden: past.hidden,
    condensationRequested: past.condensationRequested,
  };
}

function withOrigins(all: readonly MessageOfEvents[], past: pastViews.PastView): readonly pastViews.ViewMessage[] {
  const points = cachePointsOf(all.map(({ message }) => message));
  const cached = cachedMessages(all, past);
  return all.map(({ message, events }, index) => ({
    message,
    events: events.map(({ id }) => past.numberOf(id)).filter((number) => number !== undefined),
    tokens: events.reduce((sum, event) => sum + estimateTokens(event), 0),
    cachePoint: points.has(index),
    cached: index < cached,
  }));
}

/**
 * Counts the messages that the last request began with, up to its cache point. The newest message of the agent answered that
 * request. A condensation since then changed all that follows the first message.
 */
function cachedMessages(all: readonly MessageOfEvents[], past: pastViews.PastView): number {
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
