import type { Damage } from '@conv/core/store';

/**
 * Adds a span to those that are known, in the order of their commits. Readings of parts of a log meet parts of a span: a part adds
 * nothing to a span that has it, and a span takes the place of its parts. Returns `known` itself when nothing is new.
 */
export function withDamage(known: readonly Damage[], found: Damage): readonly Damage[] {
  const { from, to } = found;
  if (known.some((one) => one.from <= from && to <= one.to)) return known;
  const others = known.filter((one) => one.from < from || one.to > to);
  return [...others, found].toSorted((a, b) => a.from - b.from);
}
