import type { Strike } from '../life-plan.ts';
import type { Random } from '../random.ts';

/** Where and how the next life is struck; `null`: not at all. */
export function drawStrike(random: Random): Strike | null {
  const where = random.weighted({ disk: 5, opening: 2, tool: 2, time: 2, report: 3, nowhere: 1 });
  const signal = random.chance(0.3) ? 'SIGSTOP' : 'SIGKILL';
  if (where === 'disk') return { at: 'disk', operation: random.between(40, 700), part: random.next(), signal };
  // the first operations are those of taking over
  if (where === 'opening') return { at: 'disk', operation: random.between(1, 80), part: random.next(), signal };
  if (where === 'tool') return { at: 'tool', call: random.between(1, 12), signal };
  if (where === 'time') return { at: 'time', milliseconds: random.between(0, 500), signal };
  if (where === 'report') return { at: 'report', count: random.between(1, 120), signal };
  return null;
}
