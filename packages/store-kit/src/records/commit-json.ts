import { readEvent, type Event } from '@conv/core/events';
import { toCommitSeq, toEventIndex, type Commit, type NewCommit } from '@conv/core/store';

/** A commit as JSON, but for its numbers, which are known only when it is stored. */
export interface CommitBody {
  readonly commit: NewCommit;
  /** The JSON of each event. */
  readonly events: readonly string[];
  /** The members of the JSON object and the closing brace: `"id":…,"events":[…]}`. */
  readonly members: string;
}

/** The numbers that a commit gets when it is stored. */
export interface CommitNumbers {
  readonly seq: number;
  readonly epoch: number;
  readonly firstEvent: number;
}

/** Serialises a commit once. The members have a fixed order: id, events, patch, records. */
export function toCommitBody(commit: NewCommit): CommitBody {
  const events = commit.events.map((event) => JSON.stringify(event));
  let members = `"id":${JSON.stringify(commit.id)},"events":[${events.join(',')}]`;
  if (commit.patch) members += `,"patch":${JSON.stringify(commit.patch)}`;
  if (commit.records) members += `,"records":${JSON.stringify(commit.records)}`;
  return { commit, events, members: `${members}}` };
}

/** Returns the size of {@link bodyJson}, in bytes. */
export function bodyBytes({ members }: CommitBody): number {
  return Buffer.byteLength(members) + 1;
}

/** Returns a commit as JSON without numbers, for stores that keep the numbers beside it. */
export function bodyJson({ members }: CommitBody): string {
  return `{${members}`;
}

/** Returns a commit as JSON with its numbers in front. */
export function commitJson({ members }: CommitBody, { seq, epoch, firstEvent }: CommitNumbers): string {
  return `{"seq":${seq},"epoch":${epoch},"firstEvent":${firstEvent},${members}`;
}

/** Reads the text of {@link commitJson}. Here JSON becomes events, of known and unknown kinds. Throws `SyntaxError` for other text. */
export function readCommit(text: string): Commit {
  return withEvents(JSON.parse(text) as Commit);
}

/** Reads the text of {@link bodyJson}. Throws `SyntaxError` for other text. */
export function readCommitBody(text: string, numbers: CommitNumbers): Commit {
  return numberedCommit(withEvents(JSON.parse(text) as NewCommit), numbers);
}

/** Makes events of the JSON of a commit that was just parsed, in place, because a long log consists of many commits. */
function withEvents<Read extends NewCommit>(commit: Read): Read {
  const events = commit.events as Event[];
  for (let at = 0; at < events.length; at += 1) events[at] = readEvent(events[at]);
  return commit;
}

/** Returns a commit with its numbers, as `append` resolves with it. */
export function numberedCommit(commit: NewCommit, { seq, epoch, firstEvent }: CommitNumbers): Commit {
  return { ...commit, seq: toCommitSeq(seq), epoch, firstEvent: toEventIndex(firstEvent) };
}

/** Returns the numbers of commits that are stored one after the other. `first`: the numbers of the first one. */
export function consecutiveNumbers(commits: readonly NewCommit[], first: CommitNumbers): readonly CommitNumbers[] {
  let { firstEvent } = first;
  return commits.map(({ events }, at) => {
    const numbers = { seq: first.seq + at, epoch: first.epoch, firstEvent };
    firstEvent += events.length;
    return numbers;
  });
}
