import { toCommitSeq, type Commit, type CommitRange, type Journal } from '@conv/core/store';

/** The journal of a log whose commit `lost` cannot be read. */
export function without(lost: number, journal: Journal): Journal {
  let seen = false;
  const from = toCommitSeq(lost);
  const readable = async function* (range?: CommitRange): AsyncGenerator<Commit> {
    for await (const commit of journal.commits(range))
      if (commit.seq === lost) seen = true;
      else yield commit;
  };
  return new Proxy(journal, {
    get(target, name) {
      if (name === 'commits') return readable;
      if (name === 'damage') return seen ? [{ from, to: from, reason: 'it is lost', restored: [] }] : [];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
