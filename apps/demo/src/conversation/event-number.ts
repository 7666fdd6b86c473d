import { type CommitSeq, toCommitSeq, toEventIndex } from '@conv/core/store';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';
import type { ReadableConversation } from './readable-conversation.ts';

/** Resolves with the commit after the commit of event `number`: the state before it is the state after the event. */
export async function commitAfter({ events, past }: ReadableConversation, number: number): Promise<CommitSeq> {
  checkEventNumber(number, events.length);
  for await (const commit of past.commits()) {
    if (number < commit.firstEvent + commit.events.length && number >= toEventIndex(commit.firstEvent)) {
      return toCommitSeq(commit.seq + 1);
    }
  }
  throw new CommandError(exitCodes.storage, `event ${number} cannot be read`);
}

/** Throws {@link CommandError} when there is no event of this number. */
export function checkEventNumber(number: number, count: number): void {
  if (number < count) return;
  throw new CommandError(exitCodes.usage, `there is no event ${number}: expected a number from 0 to ${count - 1}`);
}
