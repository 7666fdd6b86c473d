import type { LogImage } from '@conv/testing-harness';

import { strictnessOf } from '../strictness.ts';
import type { Findings } from './findings.ts';
import type { ToldFork } from './ledger.ts';

/** Checks that a fork holds the data of its source at the time of the fork, and is no less strict (P10). */
export function checkFork(id: string, fork: LogImage, source: LogImage, told: ToldFork, findings: Findings): void {
  if (strictnessOf(fork.projection.fields.confirmationPolicy) < told.strictness)
    findings.add('weakenedSettings', `fork ${id}`, 'is less strict than its source was');
  const missing = source.events.slice(0, told.events).filter((event, index) => fork.events[index]?.id !== event.id);
  if (missing.length > 0) findings.add('lost', `fork ${id}`, `lacks ${missing.length} events`);
}
