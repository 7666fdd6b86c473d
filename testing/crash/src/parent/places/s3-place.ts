import { conflict, createS3Server, dropAfter, dropBefore, hold, slowDown, type Fault } from '@conv/testing-s3-server';
import { Random } from '@conv/testing-harness';

import type { Place, RequestStrike } from './place.ts';

/** The least that the store takes, in milliseconds. */
const TIMEOUT = 3000;

/** By how far the clock of the service is put forward for a sign of life to be too old: leaseTimeout and its two whole seconds. */
const STALL = TIMEOUT + 2000;

/** Milliseconds that a request is on its way at most. */
const LATEST = 1500;

/** Probability of a fault of a request, in the rounds with faults. */
const TROUBLE = 0.03;

const BUCKET = 'conversations';

/** A service of its own for one round, whose clock can be put forward and whose network the round is in the middle of. */
export async function s3Place(seed: number): Promise<Place> {
  // clients of this process and of all that it starts find these
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test1234';
  let ahead = 0;
  const server = await createS3Server({ now: () => Date.now() + ahead });
  server.createBucket(BUCKET);
  const random = new Random(seed);
  const trouble = random.chance(0.5) ? TROUBLE : 0;
  const held = new Set<() => void>();
  let ambush: { readonly plan: RequestStrike; readonly strike: () => void } | undefined;
  let requests = 0;
  server.faults = () => {
    if (ambush && ++requests === ambush.plan.request) {
      ambush.strike();
      return meet(ambush.plan, held);
    }
    return random.chance(trouble) ? random.pick(TROUBLES)() : undefined;
  };
  const release = (): void => {
    for (const arrive of held) arrive();
    held.clear();
  };
  return {
    address: `s3:${BUCKET}/round?region=us-east-1&endpoint=${server.url}`,
    leaseTimeout: TIMEOUT,
    stall: () => void (ahead += STALL),
    ambush: (plan, strike) => {
      requests = 0;
      ambush = { plan, strike };
    },
    opened: release,
    close: async () => {
      release();
      await server.close();
    },
  };
}

const TROUBLES: readonly (() => Fault)[] = [slowDown, dropBefore, dropAfter, conflict];

/** Returns the fault of the request at which its process is struck. */
function meet({ moment }: RequestStrike, held: Set<() => void>): Fault {
  if (moment === 'before') return dropBefore();
  if (moment === 'after') return dropAfter();
  const arrival = new Promise<void>((resolve) => {
    held.add(resolve);
    setTimeout(resolve, LATEST).unref();
  });
  return hold(arrival);
}
