import { readEvent } from '@conv/core/events';
import { toCommitSeq, toEventIndex, type Commit, type NewCommit } from '@conv/core/store';
import { encodeFrame } from './frame.ts';
import type { Frame } from './scan.ts';

/** A commit as JSON, but for the numbers that are known only when it is written. */
export interface CommitBody {
  readonly commit: NewCommit;
  /** The JSON of each event: the text of its file, too. */
  readonly events: readonly string[];
  /** The members of the commit behind its numbers, with the closing brace. */
  readonly text: string;
}

/** Serialises a commit once, for the log and for the files of its events. */
export function commitBody(commit: NewCommit): CommitBody {
  const events = commit.events.map((event) => JSON.stringify(event));
  let text = `,"id":${JSON.stringify(commit.id)},"events":[${events.join(',')}]`;
  if (commit.patch) text += `,"patch":${JSON.stringify(commit.patch)}`;
  if (commit.records) text += `,"records":${JSON.stringify(commit.records)}`;
  return { commit, events, text: `${text}}` };
}

/** The numbers a commit gets when it is written. */
export interface CommitNumbers {
  readonly seq: number;
  readonly epoch: number;
  readonly firstEvent: number;
}

/** The frame of a commit. `durable`: what is durable of the file so far. */
export function encodeCommit(body: CommitBody, numbers: CommitNumbers, durable: number): Buffer {
  const { seq, epoch, firstEvent } = numbers;
  const payload = `{"seq":${seq},"epoch":${epoch},"firstEvent":${firstEvent}${body.text}`;
  return encodeFrame({ kind: 'commit', epoch, seq, firstEvent, events: body.events.length, durable }, payload);
}

/** The commit in a frame: here bytes become events, whatever their kinds and fields. */
export function decodeCommit(frame: Frame): Commit {
  const commit = JSON.parse(frame.payload.toString()) as Commit;
  return { ...commit, events: commit.events.map(readEvent) };
}

/** The commit as it is handed to the one who appended it. */
export function numberedCommit(commit: NewCommit, { seq, epoch, firstEvent }: CommitNumbers): Commit {
  return { seq: toCommitSeq(seq), epoch, firstEvent: toEventIndex(firstEvent), ...commit };
}
