import type { ConversationStore } from '@conv/core/store';
import { FsStore, nodeDisk, type Disk } from '@conv/persist-fs';
import { openStore, parseStoreAddress } from '@conv/stores';

import { brokenDisk } from '../broken/broken-disk.ts';
import { brokenStore } from '../broken/broken-store.ts';
import type { LifePlan } from '../life-plan.ts';
import { mortalDisk } from './mortal-disk.ts';

/** Opens the store of a process, with its deliberate defect. */
export async function openPlannedStore(
  plan: Pick<LifePlan, 'address' | 'leaseTimeout' | 'breakage' | 'strike'>,
): Promise<{ readonly store: ConversationStore; readonly close: () => Promise<void> }> {
  const { breakage } = plan;
  const { store, close } = await openSound(plan);
  return { store: breakage === null ? store : brokenStore(store, breakage), close };
}

async function openSound({
  address,
  leaseTimeout,
  breakage,
  strike,
}: Pick<LifePlan, 'address' | 'leaseTimeout' | 'breakage' | 'strike'>): Promise<{
  readonly store: ConversationStore;
  readonly close: () => Promise<void>;
}> {
  const parsed = parseStoreAddress(address);
  if (parsed.kind !== 'fs') return openStore(address, { leaseTimeout });
  const disk: Disk = breakage === null ? nodeDisk : brokenDisk(nodeDisk, breakage);
  const mortal = strike?.at === 'disk' ? mortalDisk(disk, strike) : disk;
  const store = new FsStore({ directory: parsed.directory, leaseTimeout, disk: mortal });
  return { store, close: () => store.close() };
}
