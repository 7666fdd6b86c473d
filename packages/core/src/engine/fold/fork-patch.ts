import type { StateFields } from '../../contract/state/fields.ts';
import type { StatePatch } from '../../contract/state/patch.ts';

/**
 * The patch of a fork that takes over a whole log. Where commits of the source are lost, the patch states every setting again, as
 * strict as the source reads them: the fork may not have the copies that the source knows them from.
 */
export function forkPatch(source: StateFields, patch: StatePatch): StatePatch {
  return source.damaged ? { ...patch, set: { ...source, ...patch.set } } : patch;
}
