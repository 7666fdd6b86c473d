import type { JsonObject } from '@conv/core/events';
import type { Condenser } from './condenser.ts';

/** A condenser that does nothing and describes itself so. */
export function keptCondenser(description: JsonObject): Condenser {
  return { handlesRequests: false, describe: () => description, condense: () => Promise.resolve(undefined) };
}

/** Condenses nothing: the wire's `NoOpCondenser`. */
export function noCondenser(): Condenser {
  return keptCondenser({ kind: 'NoOpCondenser' });
}
