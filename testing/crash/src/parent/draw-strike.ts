import type { Random, StoreKind } from '@conv/testing-harness';

import type { Strike, StrikeSignal } from '../life-plan.ts';

/** Draws the strike on the next process; `null`: no strike. */
export function drawStrike(random: Random, store: StoreKind): Strike | null {
  return store === 'fs' ? drawOnDisk(random) : drawElsewhere(random, store === 's3');
}

function drawOnDisk(random: Random): Strike | null {
  const where = random.weighted({ disk: 7, opening: 2, tool: 2, time: 2, report: 3, nowhere: 1 });
  const signal = random.chance(0.35) ? 'SIGSTOP' : 'SIGKILL';
  if (where === 'disk') {
    const method = random.weighted({ any: 4, sync: 2, rename: 1 });
    return { at: 'disk', method, operation: operationOf(method, random), part: random.next(), signal };
  }
  // the first operations are those of taking over
  if (where === 'opening')
    return { at: 'disk', method: 'any', operation: random.between(1, 80), part: random.next(), signal };
  if (where === 'time') return { at: 'time', milliseconds: random.between(0, 500), signal };
  return where === 'nowhere' ? null : drawInside(where, signal, random);
}

/** Disks of a database are its own; every process on the way sees the requests. */
function drawElsewhere(random: Random, requests: boolean): Strike | null {
  const where = random.weighted({ request: requests ? 6 : 0, opening: 2, tool: 2, time: 4, report: 4, nowhere: 1 });
  const signal = random.chance(0.35) ? 'SIGSTOP' : 'SIGKILL';
  if (where === 'request') {
    const moment = random.weighted({ before: 1, after: 2, late: 2 });
    return { at: 'request', request: random.between(1, 150), moment, signal };
  }
  // the first report is that of opening, the next ones come when it is open
  if (where === 'opening') return { at: 'report', count: random.between(1, 2), signal };
  // loading the store's client takes most of the start
  if (where === 'time') return { at: 'time', milliseconds: random.between(200, 1500), signal };
  return where === 'nowhere' ? null : drawInside(where, signal, random);
}

function drawInside(where: 'tool' | 'report', signal: StrikeSignal, random: Random): Strike {
  if (where === 'tool') return { at: 'tool', call: random.between(1, 12), signal };
  return { at: 'report', count: random.between(1, 120), signal };
}

/** Draws the number of an operation that most lives reach. */
function operationOf(method: 'any' | 'sync' | 'rename', random: Random): number {
  if (method === 'any') return random.between(40, 700);
  return method === 'sync' ? random.between(1, 90) : random.between(1, 20);
}
