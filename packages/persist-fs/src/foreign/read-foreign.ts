import { initialFields } from '@conv/core';
import { MemoryStore, toEventIndex, type JournalReader, type NewCommit } from '@conv/core/store';
import { acknowledgedEnd } from '../log/acknowledged.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { commitForeign } from './import-foreign.ts';
import { lost } from '../log/log-end.ts';
import { readOwner } from '../log/owner-file.ts';

/**
 * Reads a folder that OpenHands made and this package has never opened, as it is now. Holds it in memory and writes
 * nothing, because an agent server may own it meanwhile.
 */
export async function readForeign(disk: Disk, path: ConversationPath): Promise<JournalReader | undefined> {
  const memory = new MemoryStore({ platform: disk.platform });
  const journal = await memory.open(path.id, { owner: disk.platform.id() });
  const silent = (): void => {};
  const found = await commitForeign({
    disk,
    path,
    journal: Object.assign(journal, { store: (commit: NewCommit) => journal.append(commit, initialFields) }),
    isOurs: () => false,
    untouched: false,
    begun: true,
    reject: silent,
    report: silent,
  });
  if (!found) return undefined;
  const reader = await memory.read(path.id);
  const { seq } = acknowledgedEnd(disk, path, 0, readOwner(disk, path.owner));
  if (!reader || seq === 0) return reader;
  // There was a log, and nothing of it can be read.
  const restored = Array.from({ length: reader.end.event }, (_, at) => toEventIndex(at));
  const damage = [lost(0, seq, `the whole log of conversation ${path.id}`, restored)];
  return Object.defineProperty(reader, 'damage', { get: () => damage });
}
