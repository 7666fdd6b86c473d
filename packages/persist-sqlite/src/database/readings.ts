import type { DatabaseCalls, Reading } from '../calls.ts';
import type { Connection } from './connection.ts';
import { commitsOfEvents } from './find-events.ts';
import { findConversation, headOf } from './heads.ts';
import { keptOf } from './kept-settings.ts';
import { readCommits, verifyCommits } from './read-commits.ts';
import { readSnapshot } from './snapshots.ts';

/** Answers to the readings, by their names. */
export const readings: {
  readonly [Name in Reading]: (
    connection: Connection,
    ...input: Parameters<DatabaseCalls[Name]>
  ) => ReturnType<DatabaseCalls[Name]>;
} = {
  find: findConversation,
  head: headOf,
  commits: readCommits,
  verify: verifyCommits,
  span: commitsOfEvents,
  snapshot: readSnapshot,
  kept: keptOf,
};
