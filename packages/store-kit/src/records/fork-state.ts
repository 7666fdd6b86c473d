import { projections, foldJournal, initialFields, type StateFields, type StatePatch } from '@conv/core';
import { MemoryStore, type Commit, type JournalReader } from '@conv/core/store';
import { keptText, settingsText } from './kept-text.ts';

/** The state of a fork. */
export interface ForkState {
  /** The patch of the fork's own commit, which follows the commits of its source. */
  readonly own: StatePatch;
  /** The state after that commit. */
  readonly fields: StateFields;
  /** The copy of its settings, see {@link keptText}. */
  readonly kept: string;
}

/**
 * Returns the state of a fork of everything that a reader sees. `id`: the id of the fork. `known`: the state of the source, if it is at
 * hand.
 */
export async function forkState(
  source: JournalReader,
  id: string,
  patch: StatePatch,
  known?: StateFields,
): Promise<ForkState> {
  const before = known ?? (await projections.readState(source)).fields;
  const own = projections.forkPatch(before, patch);
  const fields = projections.applyPatch(before, own);
  return { own, fields, kept: keptText(source.end.seq + 1, settingsText(fields, id)) };
}

/** Returns the state that the commits of a whole log come to, such as those of `forkCommits`. */
export async function stateAfter(commits: readonly Commit[]): Promise<StateFields> {
  const memory = new MemoryStore();
  const journal = await memory.open('00000000-0000-4000-8000-000000000000', { owner: 'fold' });
  for (const { seq: _, epoch: _epoch, firstEvent: _first, ...commit } of commits)
    await journal.append(commit, initialFields);
  return (await foldJournal(journal)).fields;
}
