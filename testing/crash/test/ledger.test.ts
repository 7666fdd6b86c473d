import { expect, test } from 'vitest';

import { Findings } from '../src/parent/findings.ts';
import { Ledger } from '../src/parent/ledger.ts';

test('the strictest settings that any life was acknowledged count, in whichever order they were told', () => {
  const ledger = new Ledger(new Findings());
  ledger.take(2, { kind: 'settings', strictness: 2, maxIterations: 498 });
  ledger.take(1, { kind: 'settings', strictness: 1, maxIterations: 499, tag: 3 });
  ledger.take(1, { kind: 'settings', analyzer: true, tag: 2 });
  expect(ledger.settings).toEqual({ strictness: 2, maxIterations: 498, analyzer: true, tag: 3 });
});

test('a commit that two read differently has changed, one at another place was moved', () => {
  const findings = new Findings();
  const ledger = new Ledger(findings);
  ledger.take(1, { kind: 'commit', id: 'a', seq: 4, epoch: 1, digest: 'x' });
  ledger.take(2, { kind: 'commit', id: 'a', seq: 4, epoch: 1, digest: 'y' });
  ledger.take(2, { kind: 'commit', id: 'a', seq: 5, epoch: 1, digest: 'x' });
  expect(findings.counts).toMatchObject({ lost: 1, misordered: 1 });
});

test('an effect that is found again counts once', () => {
  const findings = new Findings();
  findings.add('lost', 'commit a', 'was read before');
  findings.add('lost', 'commit a', 'was read before');
  expect(findings.counts.lost).toBe(1);
  expect(findings.lines).toEqual(['lost: commit a: was read before']);
});
