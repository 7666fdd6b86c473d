import { toCommitSeq, type Commit, type CommitRange, type Damage, type Journal } from '@conv/core/store';

/** A journal of which some commits cannot be read, as after damage on a disk; its end is still known. */
export function withLost(journal: Journal, lost: ReadonlySet<number>): Journal {
  const found = new Set<number>();
  return new Proxy(journal, {
    get: (target, key) => {
      if (key === 'commits') return readable;
      if (key === 'damage') return [...found].map(damageOf);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

  async function* readable(range?: CommitRange): AsyncGenerator<Commit> {
    for await (const commit of journal.commits(range)) {
      if (lost.has(commit.seq)) found.add(commit.seq);
      else yield commit;
    }
  }
}

function damageOf(seq: number): Damage {
  return { from: toCommitSeq(seq), to: toCommitSeq(seq), reason: `commit ${seq} is lost`, restored: [] };
}
