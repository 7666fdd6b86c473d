import type { PlaceKind } from '../facts/places.ts';

const FAR: ReadonlySet<PlaceKind> = new Set([
  'above',
  'system',
  'home',
  'device',
  'personal',
  'outside',
  'unknown',
] as const);

/** True for places that are not the agent's own. */
export function isAbsoluteKind(kind: PlaceKind): boolean {
  return FAR.has(kind);
}
