import { describeValue, type JsonObject, type StuckDetector } from '@conv/core';
import { createStuckDetector, type StuckThresholds } from '@conv/stuck';

/** Thresholds as clients name them. */
const NAMES: Readonly<Record<string, keyof StuckThresholds>> = {
  action_observation: 'actionObservation',
  action_error: 'actionError',
  monologue: 'monologue',
  alternating_pattern: 'alternatingPattern',
};

/** A threshold that no detector takes. */
class WrongThreshold extends TypeError {
  /** Its name, as clients have it. */
  readonly place: string;

  constructor(name: string, value: unknown) {
    super(`expected a whole number from 1, found ${typeof value === 'number' ? value : describeValue(value)}`);
    this.place = name;
  }
}

/**
 * Returns a detector with the client's thresholds. Missing and unknown thresholds keep their defaults. Throws for an invalid
 * threshold, with its name as `place`.
 */
export function stuckDetectorWith(thresholds: JsonObject): StuckDetector {
  const said = Object.entries(NAMES).flatMap(([name, ours]) => {
    const value = thresholds[name];
    if (value === undefined || value === null) return [];
    if (!Number.isSafeInteger(value) || Number(value) < 1) throw new WrongThreshold(name, value);
    return [[ours, value]];
  });
  return createStuckDetector({ thresholds: Object.fromEntries(said) as Partial<StuckThresholds> });
}
