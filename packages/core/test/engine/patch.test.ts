import fc from 'fast-check';
import { expect, test } from 'vitest';

import { applyPatch, compactPatch, mergePatches, type StatePatch } from '../../src/contract/state/patch.ts';
import { initialFields, type StateFields } from '../../src/contract/state/fields.ts';

const text = fc.string({ maxLength: 4 });
const map = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), text, { maxKeys: 3 });
const list = fc.array(text, { maxLength: 3 });

const patches: fc.Arbitrary<StatePatch> = fc.record(
  {
    set: fc.record({ title: text, tags: map, agentState: map, invokedSkills: list }, { requiredKeys: [] }),
    unset: fc.subarray(['title', 'tags', 'agentState', 'invokedSkills', 'queue'] as (keyof StateFields)[]),
    add: fc.record(
      {
        tags: map,
        agentState: map,
        invokedSkills: list,
        queue: fc.array(fc.record({ id: text, draft: fc.constant({}) }), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

const states: fc.Arbitrary<StateFields> = fc
  .record({ title: text, tags: map, agentState: map, invokedSkills: list })
  .map((fields) => ({ ...initialFields, ...fields }));

test('a merged patch has the effect of the patches one after the other', () => {
  fc.assert(
    fc.property(states, fc.array(patches, { minLength: 1, maxLength: 5 }), (fields, all) => {
      const merged = all.slice(1).reduce<StatePatch>((first, second) => mergePatches(first, second), all[0] ?? {});
      expect(applyPatch(fields, merged)).toEqual(all.reduce(applyPatch, fields));
    }),
    { numRuns: 500 },
  );
});

test('a patch without its empty parts does the same, and a patch without effect is not a patch', () => {
  fc.assert(
    fc.property(states, patches, (fields, patch) => {
      expect(applyPatch(fields, compactPatch(patch))).toEqual(applyPatch(fields, patch));
    }),
  );
  expect(compactPatch({ set: {}, unset: [], add: {} })).toBeUndefined();
});

test('a patch changes nothing in place', () => {
  const fields = Object.freeze({
    ...initialFields,
    tags: Object.freeze({ a: '1' }),
    invokedSkills: Object.freeze(['x']),
  });
  const after = applyPatch(fields, { add: { tags: { b: '2' }, invokedSkills: ['y'] }, set: { title: 't' } });
  expect(after).toMatchObject({ tags: { a: '1', b: '2' }, invokedSkills: ['x', 'y'], title: 't' });
  expect(fields).toMatchObject({ tags: { a: '1' }, invokedSkills: ['x'], title: null });
});

test('fields that this version does not know are kept', () => {
  const patch = { set: { fieldOfTomorrow: { a: 1 } } } as StatePatch;
  expect(applyPatch(initialFields, patch)).toMatchObject({ fieldOfTomorrow: { a: 1 } });
});
