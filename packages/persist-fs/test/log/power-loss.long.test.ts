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

describe('after a loss of power at any operation', () => {
  test('P1 P4: everything acknowledged is there, once, in order, and no setting is weaker', async () => {
    const survivors = await record(new Set());
    expect(survivors.length).toBeGreaterThan(500);
    expect(await firstViolations(survivors, 10)).toEqual([]);
  });

  test.each(sites)(
    'P4: without the sync "%s" something is lost',
    async (site) => {
      expect(await firstViolations(await record(new Set([site])), 1)).not.toEqual([]);
    },
    60_000,
  );
});

async function record(without: ReadonlySet<string>): Promise<Survivor[]> {
  const runs = [recordReading, recordSuccession, recordBeginning, recordFailedFlush, recordForkCopy, recordRun];
  return (await Promise.all(runs.map((run) => run(without)))).flat();
}

async function firstViolations(survivors: readonly Survivor[], count: number): Promise<string[]> {
  const found: string[] = [];
  for (const survivor of survivors) {
    found.push(...(await violations(survivor)));
    if (found.length >= count) break;
  }
  return found;
}
