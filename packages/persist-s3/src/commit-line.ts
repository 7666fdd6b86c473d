import { readEvent } from '@conv/core/events';
import { toCommitSeq, toEventIndex, type Commit, type NewCommit } from '@conv/core/store';
import { encodeLine } from './line.ts';

/** A commit as JSON, but for the numbers that are known only when it is written. */
export interface CommitBody {
  readonly commit: NewCommit;
  /** The members of the commit behind its numbers, with the closing brace. */
  readonly text: string;
}

/** The numbers a commit gets when it is written. */
export interface CommitNumbers {
  readonly seq: number;
  readonly epoch: number;
  readonly firstEvent: number;
}

/** Serialises a commit once. */
export function commitBody(commit: NewCommit): CommitBody {
  const { id, events, patch, records } = commit;
  const parts = [`,"id":${JSON.stringify(id)},"events":${JSON.stringify(events)}`];
  if (patch) parts.push(`,"patch":${JSON.stringify(patch)}`);
  if (records) parts.push(`,"records":${JSON.stringify(records)}`);
  return { commit, text: `${parts.join('')}}` };
}

/** A commit as a line of a slot or a pack. */
export function encodeCommit({ text }: CommitBody, { seq, epoch, firstEvent }: CommitNumbers): Buffer {
  return encodeLine(`{"seq":${seq},"epoch":${epoch},"firstEvent":${firstEvent}${text}`);
}

/** The commit in the text of a line: here bytes become events, whatever their kinds and fields. */
export function decodeCommit(text: string): Commit {
  const commit = JSON.parse(text) as Commit;
  return { ...commit, events: commit.events.map(readEvent) };
}

/** The commit as it is handed to the one who appended it. */
export function numberedCommit(commit: NewCommit, { seq, epoch, firstEvent }: CommitNumbers): Commit {
  return { ...commit, seq: toCommitSeq(seq), epoch, firstEvent: toEventIndex(firstEvent) };
}
