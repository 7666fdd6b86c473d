import { inCi } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';
import type { SyncSite } from '../../src/index.ts';
import { violations } from '../support/power-loss-check.ts';
import {
  recordBeginning,
  recordFailedFlush,
  recordForkCopy,
  recordReading,
  recordSuccession,
} from '../support/power-loss-handover.ts';
import { recordRun, type Survivor } from '../support/power-loss-run.ts';

/** Every sync of the package but those of its registry; the compiler says so when one is missing. */
const sites = Object.keys({
  group: true,
  sealed: true,
  header: true,
  'log folder': true,
  'conversation folder': true,
  'root folder': true,
  'new folder': true,
  'mirror meta': true,
  'mirror state': true,
  'mirror folder': true,
  'fork log': true,
  'fork copy': true,
  'fork root': true,
  'delete root': true,
  reader: true,
} satisfies Record<Exclude<SyncSite, `registry ${string}`>, true>);

/** The short runs come first: what is lost in one of them need not be looked for in the longest. */
const runs = [recordReading, recordSuccession, recordBeginning, recordFailedFlush, recordForkCopy, recordRun];

describe('after a loss of power at any operation', () => {
  test('P1 P4: every acknowledged commit is there, once, in order, and no setting is weaker', async () => {
    const found: string[] = [];
    let survived = 0;
    for (const run of runs) {
      const survivors = await run(new Set());
      survived += survivors.length;
      found.push(...(await firstViolations(survivors, 10)));
    }
    expect(survived).toBeGreaterThan(500);
    expect(found).toEqual([]);
  });

  test.each(inCi(sites, 3))('P4: a loss of power without the sync "%s" loses something', async (site) => {
    for (const run of runs) {
      const found = await firstViolations(await run(new Set([site])), 1);
      if (found.length > 0) return;
    }
    expect.fail(`no run loses anything without the sync "${site}"`);
  });
});

async function firstViolations(survivors: readonly Survivor[], count: number): Promise<string[]> {
  const found: string[] = [];
  for (const survivor of survivors) {
    found.push(...(await violations(survivor)));
    if (found.length >= count) break;
  }
  return found;
}
