import type { Commit, Damage } from '@conv/core/store';

/**
 * Adds a span to the known spans, in the order of their commits. A reading of a part of a log may find a part of a
 * span: it adds nothing to a span that contains it, and a span takes the place of its parts. Returns `known` itself if
 * nothing is new.
 */
export function withDamage(known: readonly Damage[], found: Damage): readonly Damage[] {
  const { from, to } = found;
  if (known.some((one) => one.from <= from && to <= one.to)) return known;
  const others = known.filter((one) => one.from < from || one.to > to);
  return [...others, found].toSorted((a, b) => a.from - b.from);
}

/** Returns the spans of damage that a commit records (decision 27). */
export function recordedIn({ patch }: Commit): readonly Damage[] {
  return patch?.set?.damage ?? [];
}

/** True if the recorded spans together cover the commits from `from` to `to`. */
export function isOnRecord(recorded: readonly Damage[], { from, to }: Pick<Damage, 'from' | 'to'>): boolean {
  let next: number = from;
  for (const known of recorded.toSorted((a, b) => a.from - b.from))
    if (known.from <= next) next = Math.max(next, known.to + 1);
  return next > to;
}
