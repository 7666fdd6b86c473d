import type { Commit, CommitRange, CommitSeq, Journal } from '../../src/store/index.ts';

/** A journal of which some commits cannot be read, as after damage on a disk; its end is known all the same. */
export function withLost(journal: Journal, lost: ReadonlySet<number>): Journal {
  const events = new Map<string, number>();
  return new Proxy(journal, {
    get: (target, key) => {
      if (key === 'commits') return readable;
      if (key === 'locate') return locate;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

  async function* readable(range?: CommitRange): AsyncGenerator<Commit> {
    for await (const commit of journal.commits(range)) if (!lost.has(commit.seq)) yield commit;
  }

  async function locate(id: string): Promise<number | undefined> {
    events.clear();
    for await (const commit of readable({ from: 0 as CommitSeq })) {
      commit.events.forEach((event, at) => events.set(event.id, events.get(event.id) ?? commit.firstEvent + at));
    }
    return events.get(id);
  }
}
