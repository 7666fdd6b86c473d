import { ConversationError, isConversationError } from '@conv/core';

import { userMessages } from './find-call.ts';
import type { ReadConversation } from './turn-behind.ts';

/** A part of a list of conversations. */
export interface ConversationPage {
  readonly ids: readonly string[];
  /** Continues the list; absent at its end. */
  readonly next?: string | undefined;
}

/** A conversation of a list, while its turns are read. */
export interface ListedConversation {
  readonly conversation: ReadConversation;
  /** Called when its turns were read. Default: it stays open. */
  readonly close?: (() => Promise<void>) | undefined;
}

/** The conversations whose turns are listed. */
export interface TurnList {
  /** Opens a conversation of the list. It is closed before the next one is opened, if it can be. `NOT_FOUND` leaves it out, because it may have been deleted since. */
  readonly open: (id: string) => Promise<ListedConversation | ReadConversation>;
  /** Lists conversations, from the beginning or behind a cursor. */
  readonly list: (cursor: string | undefined) => Promise<ConversationPage>;
  /** The token of the turn behind which the list goes on. Default: its beginning. */
  readonly after?: string | undefined;
}

/** The page of turns to read. */
export interface TurnPageQuery<Entry> extends TurnList {
  /** The most entries of the page. */
  readonly size: number;
  /** Reads a turn; `undefined` leaves it out. */
  readonly read: (turn: ListedTurn) => Promise<Entry | undefined>;
}

/** A part of a list of turns. */
export interface TurnPage<Entry> {
  readonly entries: readonly Entry[];
  /** Continues the list; absent at its end. */
  readonly next?: string | undefined;
  /** The number of entries up to the end of this page, and 1 more if the list goes on. */
  readonly seen: number;
}

/** A turn of a list. */
export interface ListedTurn {
  readonly conversation: ReadConversation;
  /** The message of the user that began it, which may wait in the queue. */
  readonly event: string;
  /** Continues the list behind this turn. It names its place, so that it is valid for as long as the conversation exists. */
  readonly token: string;
}

/**
 * Yields the turns of conversations: conversation after conversation in the order of the list, and the newest turn of each first. A turn that
 * begins while the list is read is not in it. Throws `INVALID_INPUT` for a token of another list.
 */
async function* listTurns({ open, list, after }: TurnList): AsyncGenerator<ListedTurn> {
  let { cursor, id, at = 0, event: last }: Place = after === undefined ? {} : placeOf(after);
  do {
    const { ids, next } = await list(cursor);
    const from = id !== undefined && ids.includes(id) ? ids.indexOf(id) : at;
    for (const [offset, each] of ids.slice(from).entries()) {
      const opened = await open(each).catch(leftOut);
      if (!opened) continue;
      const { conversation, close } = 'conversation' in opened ? opened : { conversation: opened, close: undefined };
      try {
        for await (const event of messagesOf(conversation, each === id ? last : undefined))
          yield { conversation, event, token: JSON.stringify([each, event, cursor ?? null, from + offset]) };
      } finally {
        await close?.();
      }
    }
    [cursor, id, at, last] = [next, undefined, 0, undefined];
  } while (cursor !== undefined);
}

/** The most turns that one page is looked for in, so that a page of few costs no more than one of many. */
const LOOKED_AT = 200;

/** Resolves with a page of turns. It may have less than its size, because only so many turns are looked at; the list goes on behind them. */
export async function pageOfTurns<Entry>(options: TurnPageQuery<Entry>): Promise<TurnPage<Entry>> {
  const { size, read, after: token, ...list } = options;
  const [before = 0, after] = token === undefined ? [] : splitToken(token);
  const entries: Entry[] = [];
  let [looked, last] = [0, after];
  for await (const turn of listTurns({ ...list, after })) {
    if (entries.length === size || looked++ === LOOKED_AT) {
      const seen = before + entries.length;
      return { entries, next: `${seen} ${last}`, seen: seen + 1 };
    }
    last = turn.token;
    const entry = await read(turn);
    if (entry !== undefined) entries.push(entry);
  }
  return { entries, seen: before + entries.length };
}

function splitToken(token: string): readonly [number, string] {
  const at = token.indexOf(' ');
  return [Number(token.slice(0, at)) || 0, token.slice(at + 1)];
}

interface Place {
  readonly cursor?: string | undefined;
  readonly id?: string | undefined;
  /** The number of the conversation in its page: the place where the list goes on if the conversation was deleted. */
  readonly at?: number | undefined;
  readonly event?: string | undefined;
}

function placeOf(token: string): Place {
  const wrong = new ConversationError(
    'INVALID_INPUT',
    'expected the token of a page of this list, found another one; start again without a token',
  );
  let given: unknown;
  try {
    given = JSON.parse(token);
  } catch {
    throw wrong;
  }
  const [id, event, cursor, at] = Array.isArray(given) ? (given as readonly unknown[]) : [];
  if (typeof id !== 'string' || typeof event !== 'string') throw wrong;
  const place = Number.isInteger(at) && Number(at) > 0 ? Number(at) : 0;
  return { id, event, cursor: typeof cursor === 'string' ? cursor : undefined, at: place };
}

function leftOut(error: unknown): undefined {
  if (!isConversationError(error, 'NOT_FOUND')) throw error;
}

/** Yields the messages of the user, the newest first, from the one before `last` on. */
async function* messagesOf({ events, state }: ReadConversation, last: string | undefined): AsyncGenerator<string> {
  const queued = state.queue.map(({ id }) => id).toReversed();
  const at = last === undefined ? -1 : queued.indexOf(last);
  const isLogged = last !== undefined && at < 0;
  if (!isLogged) yield* queued.slice(at + 1);
  const before = isLogged ? await events.indexOf(last) : undefined;
  for await (const { event } of userMessages(events, before)) yield event.id;
}
