import type { ConversationError, pastViews } from '@conv/core';
import type { ModelViewAnswer, OutlineAnswer } from '@conv/openhands/rest';

import type { ConversationApi } from '../transport/conversation-api.ts';

/** The members of an answer; a server may leave out any of them. */
type Answer<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** Reads the server's answer with an outline. Throws `SERVER_FAILED`. */
export function toOutline(answer: Answer<OutlineAnswer>, api: ConversationApi): pastViews.Outline {
  const { from, events, marks, cost } = answer;
  if (from === undefined || events === undefined || !marks || !cost) throw senseless(api, 'an outline');
  return { from, events, marks, cost };
}

/** Reads the server's answer with a view. Throws `SERVER_FAILED`. */
export function toModelView(answer: Answer<ModelViewAnswer>, api: ConversationApi): pastViews.ModelView {
  const { events, messages, first, count, tokens, hidden, condensation_requested: requested } = answer;
  if (events === undefined || !messages || first === undefined || count === undefined || !hidden)
    throw senseless(api, 'a view');
  return {
    events,
    messages: messages.map(({ message, cache_point: cachePoint, ...rest }) => ({
      ...rest,
      message: message as unknown as pastViews.ModelMessage,
      cachePoint,
    })),
    first,
    count,
    tokens: tokens ?? 0,
    hidden,
    condensationRequested: requested === true,
  };
}

function senseless(api: ConversationApi, expected: string): ConversationError {
  return api.error(
    'SERVER_FAILED',
    `conversation ${api.id}: expected ${expected} from the server, found something else; update the server or this client`,
  );
}
