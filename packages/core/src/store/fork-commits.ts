import type { Event } from '../events/index.ts';
import { forkPatch } from '../engine/fold/damage-record.ts';
import type { StatePatch } from '../contract/state/patch.ts';
import { readState } from '../engine/fold/read-state.ts';
import { eventsAt, pathTo } from '../engine/fold/tree.ts';
import type { Commit } from '../contract/store/commit.ts';
import { toCommitSeq, toEventIndex } from '../contract/state/log-position.ts';
import type { ForkOptions, JournalReader } from '../contract/store/conversation-store.ts';
import { StoreError } from '../contract/errors/store-error.ts';
import type { Platform } from '../platform/platform.ts';
import { systemPlatform } from '../platform/system-platform.ts';

const EVENTS_PER_COMMIT = 256;

/**
 * Returns the commits of a fork, for stores that copy them: the whole log unchanged, or the path to one event, renumbered, with
 * the current settings; then the fork's own patch. Rejects `NOT_FOUND` when no event has the id `from`.
 */
export async function forkCommits(
  source: JournalReader,
  { from, patch }: ForkOptions,
  platform: Pick<Platform, 'id'> = systemPlatform,
): Promise<readonly Commit[]> {
  return from === undefined ? whole(source, patch, platform) : lineage(source, from, patch, platform);
}

/** Initial values of the fields that follow from events, so that they follow from the events of the path alone. */
const beforeEvents = {
  executionStatus: 'idle',
  lastUserMessageId: null,
  leafEventId: null,
  headIsEmpty: false,
  calls: {},
  queue: [],
  // recorded by commits that the path does not contain
  damage: [],
} as const;

/** All commits that can be read, under their numbers. Commits that the source has lost are missing in the fork, too. */
async function whole(source: JournalReader, patch: StatePatch, platform: Pick<Platform, 'id'>): Promise<Commit[]> {
  const { seq, event: firstEvent } = source.end;
  const commits = await Array.fromAsync(source.commits({ to: seq }));
  const { fields } = source.damage.length > 0 ? await readState(source) : { fields: undefined };
  const own = fields ? forkPatch(fields, patch) : patch;
  const epoch = commits.at(-1)?.epoch ?? 0;
  return [...commits, { seq, epoch, id: platform.id(), firstEvent, events: [], patch: own }];
}

async function lineage(
  source: JournalReader,
  from: string,
  patch: StatePatch,
  platform: Pick<Platform, 'id'>,
): Promise<Commit[]> {
  const path = await pathTo(source, from);
  if (!path) throw new StoreError('NOT_FOUND', `event ${from} is not in the conversation; fork at another`);
  const { fields } = await readState(source);
  const open: StatePatch = { set: { ...fields, ...beforeEvents } };
  const commits: Commit[] = [];
  let count = 0;
  const add = (events: readonly Event[], own?: StatePatch): void => {
    const [seq, firstEvent] = [toCommitSeq(commits.length), toEventIndex(count)];
    commits.push({ seq, epoch: 0, id: platform.id(), firstEvent, events, ...(own ? { patch: own } : {}) });
    count += events.length;
  };
  add([], open);
  let events: Event[] = [];
  for await (const { event } of eventsAt(source, path)) {
    events.push(event);
    if (events.length < EVENTS_PER_COMMIT) continue;
    add(events);
    events = [];
  }
  if (events.length > 0) add(events);
  add([], patch);
  return commits;
}
