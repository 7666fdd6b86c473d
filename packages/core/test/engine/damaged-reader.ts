import type { StateFields } from '../../src/contract/state/fields.ts';
import { toCommitSeq, type Commit, type CommitRange, type Damage, type Journal } from '../../src/store/index.ts';

/** The data that the journal of {@link withLost} keeps beside its log. */
export interface Kept {
  readonly seq: number;
  readonly fields: Partial<StateFields>;
}

/** A journal of which some commits cannot be read, as after damage on a disk; its end is still known. */
export function withLost(journal: Journal, lost: ReadonlySet<number>, kept: readonly Kept[] = []): Journal {
  const found = new Set<number>();
  return new Proxy(journal, {
    get: (target, key) => {
      if (key === 'commits') return readable;
      if (key === 'locate') return locate;
      if (key === 'damage') return spans();
      if (key === 'kept') return async () => kept.map(({ seq, fields }) => ({ seq: toCommitSeq(seq), fields }));
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

  function spans(): readonly Damage[] {
    return [...found]
      .sort((a, b) => a - b)
      .map((seq) => ({ from: toCommitSeq(seq), to: toCommitSeq(seq), reason: `commit ${seq} is lost`, restored: [] }));
  }

  async function* readable(range?: CommitRange): AsyncGenerator<Commit> {
    for await (const commit of journal.commits(range)) {
      if (lost.has(commit.seq)) found.add(commit.seq);
      else yield commit;
    }
  }

  async function locate(id: string): Promise<number | undefined> {
    const events = new Map<string, number>();
    for await (const commit of readable({ from: toCommitSeq(0) })) {
      commit.events.forEach((event, at) => events.set(event.id, events.get(event.id) ?? commit.firstEvent + at));
    }
    return events.get(id);
  }
}
