import { isEvent } from '../../events/index.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { Snapshot } from '../../contract/store/commit.ts';
import { toEventIndex } from '../../contract/state/log-position.ts';
import type { JournalReader } from '../../contract/store/conversation-store.ts';
import { readEvents } from './read-events.ts';
import type { BranchState, OpenCall } from './branch.ts';
import { initialFields, type StateFields } from '../../contract/state/fields.ts';
import type { Projection } from './projection.ts';

/** The version of snapshots, which grows when a projection derives other data from the same commits. Older ones are ignored. */
const PROJECTION_VERSION = 5;

/** The content of a snapshot: numbers instead of events, so that it stays small however long the log is (P12). */
interface SnapshotData extends Omit<BranchState, 'open'> {
  readonly fields: StateFields;
  readonly endEvent: number;
  readonly lastTimestamp: string;
  readonly open: readonly number[];
}

/** Returns the snapshot of a projection. */
export function toSnapshot({ fields, branch, end, lastTimestamp }: Projection): Snapshot {
  const { open: calls, ...folded } = branch;
  const open = [...calls.values()].map(({ index }) => index);
  const data: SnapshotData = { fields, endEvent: end.event, lastTimestamp, open, ...folded };
  return { seq: end.seq, version: PROJECTION_VERSION, data: data as unknown as JsonObject };
}

/** Returns the projection of a snapshot; `undefined` when it has another version or its events are not there. */
export async function fromSnapshot(
  reader: JournalReader,
  snapshot: Snapshot | undefined,
): Promise<Projection | undefined> {
  if (snapshot?.version !== PROJECTION_VERSION) return undefined;
  const data = snapshot.data as unknown as SnapshotData;
  const open = new Map<string, OpenCall>();
  for (const at of data.open) {
    for await (const { event, index } of readEvents(reader, at, at + 1)) {
      if (isEvent(event, 'ActionEvent')) open.set(event.id, { event, index });
    }
  }
  if (open.size !== data.open.length) return undefined;
  const { fields, lastTimestamp, iteration, lastResponseId, taskList, prompted, spoken } = data;
  const branch: BranchState = { open, iteration, lastResponseId, taskList, prompted, spoken };
  // Fields that are newer than the snapshot have their initial values.
  return {
    fields: { ...initialFields, ...fields },
    branch,
    lastTimestamp,
    end: { seq: snapshot.seq, event: toEventIndex(data.endEvent) },
  };
}
