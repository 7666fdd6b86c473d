import { isSameJson } from '@conv/core/platform';
import { StoreError, type Commit, type JournalReader, type NewCommit } from '@conv/core/store';

/** Returns the contents of a commit, without its writer. */
export function contentOf({ id, events, patch, records }: Commit): NewCommit {
  return { id, events, ...(patch && { patch }), ...(records && { records }) };
}

/** True if a commit of the target is a copy of `commit`. An older copy may still have a commit that the source has lost. */
export function isCopy(found: Commit, commit: Commit, standsIn: boolean): boolean {
  return standsIn ? found.seq === commit.seq : isSame(found, commit);
}

function isSame(one: Commit, another: Commit): boolean {
  return (
    one.seq === another.seq && one.firstEvent === another.firstEvent && isSameJson(contentOf(one), contentOf(another))
  );
}

/** Returns the error for a target that continues in another way than the source, or has lost a part of an earlier copy. */
export function other(key: string, target: JournalReader, commit: Commit | undefined): StoreError {
  if (target.damage.length > 0) return damagedTarget(key, target);
  const where = commit ? `from commit ${commit.seq} on` : `after commit ${target.end.seq - 1}`;
  return new StoreError(
    'EXISTS',
    `the target has another conversation of this id: it continues differently ${where}; copy to another store`,
  );
}

export function damagedTarget(key: string, { damage }: JournalReader): StoreError {
  const spans = damage.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ');
  return new StoreError(
    'CORRUPT',
    `the target has lost commits of its copy (${spans}), and the source is whole so far: ` +
      `delete conversation ${key} in the target and copy it again, or copy to another place`,
  );
}
