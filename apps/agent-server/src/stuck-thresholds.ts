import type { JsonObject, StuckDetector } from '@conv/core';
import { createStuckDetector, type StuckThresholds } from '@conv/stuck';

/** Thresholds as clients name them. */
const NAMES: Readonly<Record<string, keyof StuckThresholds>> = {
  action_observation: 'actionObservation',
  action_error: 'actionError',
  monologue: 'monologue',
  alternating_pattern: 'alternatingPattern',
};

/**
 * Returns a detector with the client's thresholds. Missing and unknown thresholds keep their defaults. Throws for an invalid
 * threshold.
 */
export function stuckDetectorWith(thresholds: JsonObject): StuckDetector {
  const said = Object.entries(NAMES).flatMap(([name, ours]) => {
    const value = thresholds[name];
    return value === undefined || value === null ? [] : [[ours, value]];
  });
  return createStuckDetector({ thresholds: Object.fromEntries(said) as Partial<StuckThresholds> });
}
