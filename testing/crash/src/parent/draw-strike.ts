import type { Strike } from '../life-plan.ts';
import type { Random } from '../random.ts';

/** Where and how the next life is struck; `null`: not at all. */
export function drawStrike(random: Random): Strike | null {
  const where = random.weighted({ disk: 7, opening: 2, tool: 2, time: 2, report: 3, nowhere: 1 });
  const signal = random.chance(0.35) ? 'SIGSTOP' : 'SIGKILL';
  if (where === 'disk') {
    const method = random.weighted({ any: 4, sync: 2, rename: 1 });
    return { at: 'disk', method, operation: operationOf(method, random), part: random.next(), signal };
  }
  // the first operations are those of taking over
  if (where === 'opening')
    return { at: 'disk', method: 'any', operation: random.between(1, 80), part: random.next(), signal };
  if (where === 'tool') return { at: 'tool', call: random.between(1, 12), signal };
  if (where === 'time') return { at: 'time', milliseconds: random.between(0, 500), signal };
  if (where === 'report') return { at: 'report', count: random.between(1, 120), signal };
  return null;
}

/** Which of the operations of a life it is that most lives get to. */
function operationOf(method: 'any' | 'sync' | 'rename', random: Random): number {
  if (method === 'any') return random.between(40, 700);
  return method === 'sync' ? random.between(1, 90) : random.between(1, 20);
}
