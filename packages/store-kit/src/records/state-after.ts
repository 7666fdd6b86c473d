import { foldJournal, initialFields, type StateFields } from '@conv/core';
import { MemoryStore, type Commit } from '@conv/core/store';

/** Returns the state that the commits of a whole log come to, such as those of `forkCommits`. */
export async function stateAfter(commits: readonly Commit[]): Promise<StateFields> {
  const memory = new MemoryStore();
  const journal = await memory.open('00000000-0000-4000-8000-000000000000', { owner: 'fold' });
  for (const { id, events, patch, records } of commits)
    await journal.append({ id, events, ...(patch && { patch }), ...(records && { records }) }, initialFields);
  return (await foldJournal(journal)).fields;
}
