import type { StateFields } from '../../contract/state/fields.ts';
import type { StatePatch } from '../../contract/state/patch.ts';

/**
 * Returns the patch of a fork that takes over a whole log. Where commits of the source are lost, the patch states every setting
 * again, as strict as the source reads them. The fork may not have the copies from which the source knows them.
 */
export function forkPatch(source: StateFields, patch: StatePatch): StatePatch {
  return source.damaged ? { ...patch, set: { ...source, ...patch.set } } : patch;
}
