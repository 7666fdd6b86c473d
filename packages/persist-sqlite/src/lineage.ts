import { foldJournal, initialFields, type StateFields } from '@conv/core';
import { forkCommits, MemoryStore, type Commit, type ForkOptions, type JournalReader } from '@conv/core/store';
import type { ImportInput } from './calls.ts';
import { toBody, toSummary } from './commit-body.ts';

/** The conversation that a fork from an event is: the path to it under the settings that hold now, and its patch. */
export async function lineageOf(source: JournalReader, newId: string, options: ForkOptions): Promise<ImportInput> {
  const commits = await forkCommits(source, options);
  return {
    id: newId,
    summary: toSummary(await foldCommits(commits)),
    commits: commits.map((commit) => ({
      seq: commit.seq,
      epoch: commit.epoch,
      firstEvent: commit.firstEvent,
      eventIds: commit.events.map(({ id }) => id),
      body: toBody(commit),
    })),
  };
}

async function foldCommits(commits: readonly Commit[]): Promise<StateFields> {
  const memory = new MemoryStore();
  const journal = await memory.open('00000000-0000-4000-8000-000000000000', { owner: 'fork' });
  for (const { id, events, patch, records } of commits)
    await journal.append({ id, events, ...(patch ? { patch } : {}), ...(records ? { records } : {}) }, initialFields);
  return (await foldJournal(journal)).fields;
}
