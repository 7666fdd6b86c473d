import type { Random } from '@conv/testing-harness';

import type { Harm, Recording } from './target.ts';

/** A random flip, or a truncation one time in four. Small units are hit as often as large ones in half of the draws. */
export function drawHarm({ units, losesUnits = false }: Recording, random: Random): Harm {
  const filled = [...units].filter(([, bytes]) => bytes.length > 0);
  const [unit, bytes] = random.chance(0.5) ? random.pick(filled) : bySize(filled, random);
  if (losesUnits && random.chance(0.2)) return { unit, change: { gone: true } };
  if (random.chance(0.25)) return { unit, change: { cut: random.between(0, bytes.length - 1) } };
  return { unit, change: { flip: random.between(0, bytes.length - 1), bit: random.between(0, 7) } };
}

/** True if one of the harms takes the unit away. */
export function isGone(unit: string, harms: readonly Harm[]): boolean {
  return harms.some((harm) => harm.unit === unit && 'gone' in harm.change);
}

/** Returns the bytes of a unit after its faults; none if the unit is removed. */
export function harmed(unit: string, bytes: Buffer, harms: readonly Harm[]): Buffer {
  let result = bytes;
  for (const { unit: hit, change } of harms) {
    if (hit !== unit) continue;
    if ('gone' in change) result = result.subarray(0, 0);
    else if ('cut' in change) result = result.subarray(0, change.cut);
    else if (change.flip < result.length) {
      result = Buffer.from(result);
      result[change.flip] = (result[change.flip] as number) ^ (1 << change.bit);
    }
  }
  return result;
}

/** Describes a fault, so that it can be repeated. */
export function harmText({ unit, change }: Harm): string {
  if ('gone' in change) return `${unit} is gone`;
  return 'cut' in change
    ? `${unit} cut to ${change.cut} bytes`
    : `${unit}: bit ${change.bit} of byte ${change.flip} flipped`;
}

function bySize(units: readonly (readonly [string, Buffer])[], random: Random): readonly [string, Buffer] {
  let rest = random.between(0, units.reduce((sum, [, bytes]) => sum + bytes.length, 0) - 1);
  for (const entry of units) if ((rest -= entry[1].length) < 0) return entry;
  return units[0] as readonly [string, Buffer];
}
