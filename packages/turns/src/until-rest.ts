import { checkOptionNames, checks, type OptionNames } from '@conv/core';

import { activeRun } from './active-runs.ts';
import { checkConversation } from './check-arguments.ts';
import { waitsForClient } from './call-facts.ts';
import type { TurnChange } from './turn-change.ts';
import type { MessageItem } from './turn-item.ts';
import { TurnStream, type FollowedConversation, type TurnsOptions } from './turn-stream.ts';

/** Options of {@link untilRest}. */
export interface RestOptions extends TurnsOptions {
  /** The run that the changes tell, which ends them. Default: the run that a request began here; they end when no run is active. */
  readonly run?: Promise<unknown> | undefined;
  /** The event that the turn comes after; the changes end before the next message of the user. Default: they go on to the rest. */
  readonly event?: string | undefined;
}

const NAMES: OptionNames<RestOptions> = { after: true, signal: true, run: true, event: true };

/**
 * Yields the changes of a conversation as `turns` does, until the conversation is at rest: the run has ended, or waits for the client to
 * answer a call. Then everything was told that existed at this moment. With `event` they end with its turn too.
 */
export async function* untilRest(
  conversation: FollowedConversation,
  options: RestOptions = {},
): AsyncGenerator<TurnChange> {
  checkConversation('untilRest', conversation);
  checkOptionNames('untilRest', options, NAMES, checks.invalid);
  const { run = activeRun(conversation), event, ...followed } = options;
  let turn: number | undefined = event === undefined ? undefined : await conversation.events.indexOf(event);
  const changes = new TurnStream(conversation, followed);
  const finish = (): void => changes.finish();
  run?.then(finish, finish);
  for await (const change of changes) {
    const message = messageIn(change);
    if (message && message.id === event) turn = message.index;
    if (message && turn !== undefined && message.index > turn) break;
    yield change;
    if (isRest(change, conversation, run !== undefined)) finish();
  }
}

/** Resolves when the conversation is at rest, as {@link untilRest} does. */
export async function rest(conversation: FollowedConversation, options: RestOptions = {}): Promise<void> {
  const after = conversation.events.length - 1;
  for await (const _ of untilRest(conversation, { after, ...options }));
}

/** Returns the message of the user that a change tells. */
function messageIn(change: TurnChange): MessageItem | undefined {
  const item = change.type === 'item' ? change.item : undefined;
  return item?.kind === 'message' && item.from === 'user' ? item : undefined;
}

function isRest(change: TurnChange, { state }: FollowedConversation, hasRun: boolean): boolean {
  if (change.type === 'item') return change.item.kind === 'call' && waitsForClient(change.item);
  // a reader that is behind is told of a rest before the run that is active now; a run that began has its own end
  return change.type === 'state' && !hasRun && change.status !== 'running' && state.executionStatus !== 'running';
}
