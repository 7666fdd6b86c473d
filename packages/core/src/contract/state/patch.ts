import { initialFields, type StateFields } from './fields.ts';

type ListField = {
  [Key in keyof StateFields]: StateFields[Key] extends readonly unknown[] ? Key : never;
}[keyof StateFields];

type MapField = 'blockedActions' | 'blockedMessages' | 'stats' | 'tags' | 'agentState' | 'calls' | 'assessments';

/**
 * A change of state that no event carries. `unset` puts fields back to their initial values; then `set` replaces whole
 * fields; then `add` appends to list fields and merges into map fields, so that a change costs what it changes.
 */
export interface StatePatch {
  readonly set?: Partial<StateFields>;
  readonly unset?: readonly (keyof StateFields)[];
  readonly add?: Partial<Pick<StateFields, ListField | MapField>>;
}

/** Returns `fields` with `patch` applied. Unknown fields are kept, so that a newer writer's patches survive. */
export function applyPatch(fields: StateFields, patch: StatePatch | undefined): StateFields {
  if (!patch) return fields;
  const initial = Object.fromEntries((patch.unset ?? []).map((key) => [key, initialFields[key]]));
  const next: Record<string, unknown> = { ...fields, ...initial, ...patch.set };
  for (const [key, added] of Object.entries(patch.add ?? {})) next[key] = extend(next[key], added);
  return next as unknown as StateFields;
}

/** Returns one patch that does what `first` and then `second` do. */
export function mergePatches(first: StatePatch | undefined, second: StatePatch): StatePatch {
  if (!first) return second;
  const overruled = new Set<string>([...(second.unset ?? []), ...Object.keys(second.set ?? {})]);
  const keep = (entries: object | undefined): Record<string, unknown> =>
    Object.fromEntries(Object.entries(entries ?? {}).filter(([key]) => !overruled.has(key)));
  const add = keep(first.add);
  for (const [key, added] of Object.entries(second.add ?? {})) add[key] = extend(add[key], added);
  return {
    unset: [...new Set([...(first.unset ?? []), ...(second.unset ?? [])])],
    set: { ...keep(first.set), ...second.set },
    add,
  };
}

/** Returns the patch without empty parts; `undefined` when it changes nothing. */
export function compactPatch(patch: StatePatch | undefined): StatePatch | undefined {
  if (!patch) return undefined;
  const { set, unset, add } = patch;
  const compact: StatePatch = {
    ...(set && Object.keys(set).length > 0 ? { set } : {}),
    ...(unset && unset.length > 0 ? { unset } : {}),
    ...(add && Object.keys(add).length > 0 ? { add } : {}),
  };
  return Object.keys(compact).length > 0 ? compact : undefined;
}

/** Returns a list with items appended, or a map with entries merged in. */
function extend(current: unknown, added: unknown): unknown {
  if (Array.isArray(added)) return [...(Array.isArray(current) ? (current as unknown[]) : []), ...(added as unknown[])];
  // not Object.assign, which takes a key named __proto__ for the prototype
  return { ...(current as object | undefined), ...(added as object) };
}
