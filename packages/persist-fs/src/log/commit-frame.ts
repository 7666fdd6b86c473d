import type { Commit } from '@conv/core/store';
import { commitJson, readCommit, type CommitBody, type CommitNumbers } from '@conv/store-kit';
import { encodeFrame } from './frame.ts';
import type { Frame } from './scan.ts';

/** Returns the frame of a commit. `durable`: the durable bytes of the file so far. */
export function encodeCommit(body: CommitBody, numbers: CommitNumbers, durable: number): Buffer {
  const { seq, epoch, firstEvent } = numbers;
  const header = { kind: 'commit', epoch, seq, firstEvent, events: body.events.length, durable } as const;
  return encodeFrame(header, commitJson(body, numbers));
}

export function decodeCommit(frame: Frame): Commit {
  return readCommit(frame.payload.toString());
}

/** Returns the id of an event of a commit, by the event's number. Cheaper than {@link decodeCommit}, because no event is read. */
export function eventIdIn(frame: Frame, number: number): string | undefined {
  const { events } = JSON.parse(frame.payload.toString()) as Pick<Commit, 'events'>;
  return events[number - frame.header.firstEvent]?.id;
}
