import type { LogImage } from '@conv/testing-harness';

import { strictnessOf } from '../strictness.ts';
import type { Findings } from './findings.ts';
import type { Ledger } from './ledger.ts';

/** The settings that must not become weaker, wherever they were read. */
export interface SafetySettings {
  readonly confirmationPolicy: unknown;
  readonly maxIterations: unknown;
  readonly securityAnalyzer: unknown;
}

/** Checks that settings are at least as strict as the acknowledged settings. */
export function checkSettings(
  place: string,
  found: SafetySettings,
  told: Ledger['settings'],
  findings: Findings,
): void {
  const strictness = strictnessOf(found.confirmationPolicy);
  if (strictness < told.strictness)
    findings.add('weakenedSettings', `${place}: policy`, `is ${strictness}, was acknowledged as ${told.strictness}`);
  if (!(Number(found.maxIterations) <= told.maxIterations))
    findings.add('weakenedSettings', `${place}: limit`, `is ${String(found.maxIterations)}, not ${told.maxIterations}`);
  if (told.analyzer && (found.securityAnalyzer ?? null) === null)
    findings.add('weakenedSettings', `${place}: analyzer`, 'is gone');
}

/** Checks that no commit has made a setting weaker: in a round settings only become stricter. */
export function checkMonotone({ commits }: LogImage, findings: Findings): void {
  for (const { commit, before, after } of commits) {
    if (commit.seq === 0) continue;
    const weaker =
      strictnessOf(after.confirmationPolicy) < strictnessOf(before.confirmationPolicy) ||
      after.maxIterations > before.maxIterations ||
      (before.securityAnalyzer !== null && after.securityAnalyzer === null);
    if (weaker) findings.add('weakenedSettings', `commit ${commit.id}`, 'makes settings weaker');
  }
}
