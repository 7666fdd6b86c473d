import { checkOptionNames, checks, type OptionNames } from '@conv/core';

import { checkConversation } from './check-arguments.ts';
import type { TurnChange } from './turn-change.ts';
import { TurnStream, type FollowedConversation, type TurnsOptions } from './turn-stream.ts';

const NAMES: OptionNames<TurnsOptions> = { after: true, signal: true };

/**
 * Follows a conversation as a client shows it: its durable events, the pieces of answers in progress and its status, folded into
 * changes of ordered items. Local and remote conversations tell the same. {@link TurnView} folds the changes.
 *
 * First come the items of the events after the cursor, then a state, then everything that happens, until the conversation closes. No
 * event is missing, none comes twice, and all come in the order of the log, wherever a client stopped reading: a change carries the
 * cursor to come back with, also in the middle of a turn, of a response with several calls, and of an answer in progress. Pieces are
 * not durable. A client that comes back drops the pieces of answers that are not items yet, and is told the rest of an answer
 * whose beginning it missed as an item.
 *
 * The conversation is followed from the call on, at the pace of the reader: events wait in the log, and pieces that a slow reader
 * leaves waiting are dropped above 1 MiB of text, which withdraws them. A reader that stops early ends the iteration with `break` or
 * `return`.
 *
 * Throws `INVALID_INPUT` if `after` is no number of an event that this conversation knows: the client has another log, or a newer
 * reading of it, and starts again without a cursor. The iteration rejects with the reason why the conversation can no longer be
 * followed, such as `LOG_CHANGED`.
 *
 * @example
 * ```ts
 * import type { Conversation } from '@conv/core';
 * import { turns } from '@conv/turns';
 *
 * export async function printAnswers(conversation: Conversation): Promise<void> {
 *   for await (const change of turns(conversation)) {
 *     if (change.type === 'piece') process.stdout.write(change.text);
 *     if (change.type === 'item' && change.item.kind === 'answer')
 *       process.stdout.write(`${change.item.text.slice(change.streamed.text)}\n`);
 *   }
 * }
 * ```
 */
export function turns(
  conversation: FollowedConversation,
  options: TurnsOptions = {},
): AsyncIterableIterator<TurnChange> {
  checkConversation('turns', conversation);
  checkOptionNames('turns', options, NAMES, checks.invalid);
  return new TurnStream(conversation, options);
}
