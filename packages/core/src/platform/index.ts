/**
 * The seam to the host: clocks, timers, random numbers and ids, as one object that is passed in. Nothing else in these packages
 * reads a clock, sets a timer or draws a number.
 *
 * @packageDocumentation
 */
import './needs-node.ts';

export { Backoff, type BackoffOptions } from './backoff.ts';
export { isJsonObject, isObject, isSameJson } from './json.ts';
export { isoNow, type Platform, type Timer } from './platform.ts';
export { secureRandom, systemPlatform } from './system-platform.ts';
export { Turns } from './turns.ts';
export { warn } from './warn.ts';
export * as timers from './timers.ts';
