import { randomUUID } from 'node:crypto';
import { initialFields } from '@conv/core';
import { MemoryStore, type Journal, type JournalReader } from '@conv/core/store';
import type { ConversationPath } from './conversation-path.ts';
import type { Disk } from './disk.ts';
import { commitForeign, type ImportTarget } from './import-foreign.ts';

/**
 * Reads a folder that OpenHands made and nobody here has opened yet, as it is now: held in memory, nothing is written. An agent
 * server may own it meanwhile.
 */
export async function readForeign(disk: Disk, path: ConversationPath): Promise<JournalReader | undefined> {
  const memory = new MemoryStore();
  const journal = await memory.open(path.id, { owner: randomUUID() });
  const silent = (): void => {};
  const found = await commitForeign({
    disk,
    path,
    journal: target(journal),
    written: 0,
    isOurs: () => false,
    untouched: false,
    begun: true,
    reject: silent,
    report: silent,
  });
  return found && memory.read(path.id);
}

function target(journal: Journal): ImportTarget {
  return {
    get end() {
      return journal.end;
    },
    get damage() {
      return journal.damage;
    },
    refresh: () => journal.refresh(),
    commits: (range) => journal.commits(range),
    locate: (eventId) => journal.locate(eventId),
    snapshot: () => journal.snapshot(),
    watch: (from, signal) => journal.watch(from, signal),
    close: () => journal.close(),
    store: (commit) => journal.append(commit, initialFields),
  };
}
