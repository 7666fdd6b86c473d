import type { JsonObject } from '@conv/core';

/** The lowest release of OpenHands whose programs read a conversation, such as `>=1.54`. */
export type OpenHandsReleases = `>=${string}`;

const FORM = /^>=\d{1,4}\.\d{1,4}(?:\.\d{1,4})?$/;

/** True for {@link OpenHandsReleases}. */
export function isReleases(value: unknown): value is OpenHandsReleases {
  return typeof value === 'string' && FORM.test(value);
}

/** Returns the releases that a conversation with this metadata was made for; `undefined` for each from 1.43.1 on. */
export function releasesIn({ openhands }: JsonObject): OpenHandsReleases | undefined {
  return isReleases(openhands) ? openhands : undefined;
}

/**
 * True if each program of OpenHands that reads a conversation with this metadata knows `SecurityAnalysisEvent`, which came with
 * 1.54. One event of an unknown kind stops the loader of 1.43.1, its REST and its client (decision 147).
 */
export function knowsAnalyses(meta: JsonObject): boolean {
  const [major = 0, minor = 0] = (releasesIn(meta) ?? '').match(/\d+/g)?.map(Number) ?? [];
  return major > 1 || (major === 1 && minor >= 54);
}
