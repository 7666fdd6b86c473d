import { randomUUID } from 'node:crypto';
import type { Journal } from '@conv/core/store';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Author, commitIds } from '@conv/testing-harness';
import { freshStore } from './fresh-folder.ts';

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('append' as const), at: fc.nat(3), events: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reopen' as const), at: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fork' as const), at: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

/** Model of a conversation. */
interface Model {
  readonly author: Author;
  journal: Journal;
  /** Ids of its commits; `undefined` for commits that the store made. */
  ids: (string | undefined)[];
}

test('P3 P6: appends, forks, openings and deletions leave each conversation its own commits, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      let store = await freshStore();
      const { file } = store;
      let models: Model[] = [await begun()];

      async function begun(): Promise<Model> {
        const author = new Author();
        const journal = await store.open(author.id, { owner: 'a' });
        await author.begin(journal);
        return { author, journal, ids: [...author.ids] };
      }
      async function reopen(model: Model): Promise<void> {
        await model.journal.close();
        model.journal = await store.open(model.author.id, { owner: 'a', create: 'never' });
      }
      async function fork(source: Model): Promise<void> {
        const author = new Author();
        author.fields = { ...source.author.fields, id: author.id };
        await store.fork(source.author.id, author.id, { patch: { set: { id: author.id } } });
        const journal = await store.open(author.id, { owner: 'a' });
        models.push({ author, journal, ids: [...source.ids, undefined] });
      }
      async function restart(): Promise<void> {
        await store.close();
        store = await freshStore({ file });
        for (const model of models) model.journal = await store.open(model.author.id, { owner: 'a', create: 'never' });
      }

      for (const one of steps) {
        const model = models['at' in one ? one.at % models.length : 0] as Model;
        if (one.kind === 'append') {
          const texts = Array.from({ length: one.events }, () => randomUUID());
          model.ids.push((await model.author.say(model.journal, ...texts)).id);
        } else if (one.kind === 'reopen') await reopen(model);
        else if (one.kind === 'fork') await fork(model);
        else if (one.kind === 'restart') await restart();
        else if (models.length > 1) {
          await model.journal.close();
          await store.delete(model.author.id);
          models = models.filter((other) => other !== model);
        }
      }
      for (const { journal, ids } of models) {
        const found = await commitIds(journal);
        expect(found.map((id, at) => ids[at] ?? id)).toEqual(found);
        expect(found).toHaveLength(ids.length);
      }
      expect(await store.integrityCheck()).toEqual([]);
      await store.close();
    }),
    { numRuns: 15 },
  );
}, 120_000);
