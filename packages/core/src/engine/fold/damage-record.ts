import type { StateFields } from '../../contract/state/fields.ts';
import type { Damage } from '../../contract/state/log-position.ts';
import type { StatePatch } from '../../contract/state/patch.ts';

/** Returns the spans of `found` that `recorded` does not cover. */
export function unrecorded(found: readonly Damage[], recorded: readonly Damage[]): readonly Damage[] {
  return found.filter(({ from, to }) => !recorded.some((known) => known.from <= from && to <= known.to));
}

/** Returns `recorded` with the new spans, in the order of the log. A new span replaces the spans that it covers. */
export function withDamage(recorded: readonly Damage[], found: readonly Damage[]): readonly Damage[] {
  const added = unrecorded(found, recorded);
  if (added.length === 0) return recorded;
  const kept = recorded.filter(({ from, to }) => !added.some((span) => span.from <= from && to <= span.to));
  return [...kept, ...added].toSorted((a, b) => a.from - b.from);
}

/**
 * Returns the patch of a fork that takes over a whole log. Where commits of the source are lost, the patch states every setting
 * again, as strict as the source reads them. The fork may not have the copies from which the source knows them.
 */
export function forkPatch(source: StateFields, patch: StatePatch): StatePatch {
  return source.damaged ? { ...patch, set: { ...source, ...patch.set } } : patch;
}
