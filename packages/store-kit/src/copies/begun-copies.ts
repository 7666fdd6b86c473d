import type { OpenOptions } from '@conv/core/store';

/** Options with which a copy opens its target. They are marked here and not by a member, because only a copy may set the mark. */
const copies = new WeakSet<OpenOptions>();

/**
 * Marks the options with which a copy opens its target, and returns them. A copy of a fork that was stopped states the id of the fork's
 * source alone, so its log looks like the one of another conversation (decision 82). The copy compares every commit instead.
 */
export function forCopy(options: OpenOptions): OpenOptions {
  copies.add(options);
  return options;
}

/** True if a copy opens its target with these options. */
export function isForCopy(options: OpenOptions): boolean {
  return copies.has(options);
}
