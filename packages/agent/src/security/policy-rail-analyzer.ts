import type { SecurityAnalyzer } from '@conv/core';
import { assessment } from './facts/findings.ts';
import { findingsOf } from './findings-of.ts';
import { argumentsOf, runsOf } from './read-action.ts';

const RAILS = new Set(['fetch-to-exec', 'raw-disk-op', 'catastrophic-delete', 'unread']);

/**
 * Creates an analyzer with three rules about commands that are never right: `fetch-to-exec`, `raw-disk-op`,
 * `catastrophic-delete`. The risk is `HIGH` if a rule is broken, with its name in the reason, and, as `unread`, if an
 * action cannot be read as a whole; else `LOW`.
 */
export function policyRailSecurityAnalyzer(): SecurityAnalyzer {
  return {
    describe: () => ({ kind: 'PolicyRailSecurityAnalyzer' }),
    assess: (action, circumstances) => {
      const given = argumentsOf(action);
      const found = findingsOf(action, given, runsOf(action, given), circumstances).filter(({ id }) => RAILS.has(id));
      return assessment(found, ({ id, reason }) => `${id}: ${reason}`);
    },
  };
}
