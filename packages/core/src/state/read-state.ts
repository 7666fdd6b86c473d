import type { JournalReader } from '../store/conversation-store.ts';
import { foldJournal } from './fold-journal.ts';
import type { Projection } from './projection.ts';
import { fromSnapshot } from './snapshot.ts';

/** The state of a log at its end: from its snapshot, if there is a usable one, and the commits after it. */
export async function readState(reader: JournalReader): Promise<Projection> {
  const from = await fromSnapshot(reader, await reader.snapshot());
  return foldJournal(reader, from ? { from } : {});
}
