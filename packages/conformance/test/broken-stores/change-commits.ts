import type { Commit, CommitRange, JournalReader } from '@conv/core/store';

/** Replaces `commits` by what `change` makes of each commit; `undefined` leaves it out. */
export function changeCommits(
  reader: JournalReader,
  change: (commit: Commit) => Commit | undefined,
): Pick<JournalReader, 'commits'> {
  return {
    async *commits(range?: CommitRange) {
      for await (const commit of reader.commits(range)) {
        const changed = change(commit);
        if (changed) yield changed;
      }
    },
  };
}
