import type { JsonObject, StuckDetector } from '@conv/core';
import { createStuckDetector, type StuckThresholds } from '@conv/stuck';

/** Thresholds as clients name them. */
const NAMES: Readonly<Record<string, keyof StuckThresholds>> = {
  action_observation: 'actionObservation',
  action_error: 'actionError',
  monologue: 'monologue',
  alternating_pattern: 'alternatingPattern',
};

/** Looks for loops as a client wants it; what it does not say, and what nobody knows, is as without it. Throws for what is no threshold. */
export function stuckDetectorWith(thresholds: JsonObject): StuckDetector {
  const said = Object.entries(NAMES).flatMap(([name, ours]) => {
    const value = thresholds[name];
    return value === undefined || value === null ? [] : [[ours, value]];
  });
  return createStuckDetector({ thresholds: Object.fromEntries(said) as Partial<StuckThresholds> });
}
