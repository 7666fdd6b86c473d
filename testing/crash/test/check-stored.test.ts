import type { Commit } from '@conv/core/store';
import { expect, test } from 'vitest';

import { checkStored } from '../src/parent/check-stored.ts';
import { Findings } from '../src/parent/findings.ts';

function log(...commits: readonly (readonly [seq: number, id: string, epoch: number])[]): readonly Commit[] {
  return commits.map(([seq, id, epoch]) => ({ seq, id, epoch, events: [], firstEvent: 0 }) as unknown as Commit);
}

function found(
  commits: readonly Commit[],
  stored: { seq: number; id: string; epoch: number }[],
  refused: string[] = [],
) {
  const findings = new Findings();
  checkStored(commits, { stored, refused }, findings);
  const { lost, duplicated, misordered } = findings.counts;
  return { lost, duplicated, misordered };
}

test('a log that holds what was told, where it was told, is clean', () => {
  const stored = [{ seq: 1, id: 'b', epoch: 1 }];
  expect(found(log([0, 'a', 1], [1, 'b', 1], [2, 'c', 2]), stored)).toEqual({ lost: 0, duplicated: 0, misordered: 0 });
});

test.each([
  ['one that is missing', log([0, 'a', 1]), [{ seq: 1, id: 'b', epoch: 1 }], [], { lost: 1 }],
  ['one at another number', log([0, 'a', 1], [1, 'b', 1]), [{ seq: 2, id: 'b', epoch: 1 }], [], { misordered: 1 }],
  ['one of another owner', log([0, 'a', 2]), [{ seq: 0, id: 'a', epoch: 1 }], [], { misordered: 1 }],
  ['one that is there twice', log([0, 'a', 1], [1, 'a', 1]), [], [], { duplicated: 1 }],
  ['a gap', log([0, 'a', 1], [2, 'b', 1]), [], [], { misordered: 1 }],
  ['an owner of before', log([0, 'a', 2], [1, 'b', 1]), [], [], { misordered: 1 }],
  ['a refused one that is there', log([0, 'a', 1]), [], ['a'], { duplicated: 1 }],
])('%s is found', (_, commits, stored, refused, counts) => {
  expect(found(commits, stored, refused)).toEqual({ lost: 0, duplicated: 0, misordered: 0, ...counts });
});
