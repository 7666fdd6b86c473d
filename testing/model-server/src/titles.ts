import type { ParsedRequest } from './endpoint.ts';
import { Identifiers } from './identifiers.ts';
import type { TurnFunction } from './script.ts';
import { PromptCache } from './token-usage.ts';
import { say } from './turn-builders.ts';
import type { Turn } from './turn.ts';

/** The question by which agents of this repository ask for the title of a conversation, with its first message. */
const QUESTION =
  /^Find a title for a conversation that begins with the message below\b[^<]*<message>\n([\s\S]*)\n<\/message>$/;

/** Answers to requests for titles. They use up no ids and no cache of other requests, because such a request comes at any time. */
export interface TitleAnswers {
  readonly turn: Turn | TurnFunction | undefined;
  readonly ids: Identifiers;
  readonly cache: PromptCache;
}

/** Makes answers to requests for titles. Default of `turn`: the message itself. */
export function titleAnswers(turn: Turn | TurnFunction | undefined): TitleAnswers {
  return { turn, ids: new Identifiers('title-'), cache: new PromptCache() };
}

/** Returns the message for which a request wants a title; `undefined` for any other request. */
export function titledMessage({ messages, tools }: Pick<ParsedRequest, 'messages' | 'tools'>): string | undefined {
  const [first, ...more] = messages;
  if (tools.length > 0 || more.length > 0 || first === undefined) return undefined;
  return QUESTION.exec(first.text)?.[1];
}

/** Returns the turn function that answers a request for the title of a message. */
export function titleTurn({ turn }: TitleAnswers, message: string): TurnFunction {
  if (turn === undefined) return () => say(message);
  return typeof turn === 'function' ? turn : () => turn;
}
