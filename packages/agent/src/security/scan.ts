import type { RiskAssessment } from '@conv/core';
import type { SecurityRisk } from '@conv/core/events';
import type { Corpus } from './action-corpora.ts';
import type { Rule } from './rule.ts';
import { shellCommands } from './shell-commands.ts';
import { shellReadings } from './shell-readings.ts';

/** Something found. */
export interface Finding {
  readonly id: string;
  readonly risk: 'MEDIUM' | 'HIGH';
  readonly reason: string;
}

/** What rules find in what runs, in any reading of it; each rule once. */
export function scanScripts(corpus: Corpus, rules: readonly Rule[]): readonly Finding[] {
  const scripts = corpus.texts.flatMap(shellReadings).map((text) => ({ text, commands: shellCommands(text) }));
  return rules.filter((rule) => scripts.some((script) => rule.matches(script)));
}

/** What rules find in texts that nobody runs. */
export function scanTexts(corpus: Corpus, rules: readonly Rule[]): readonly Finding[] {
  return rules.filter((rule) => corpus.texts.some((text) => rule.matches({ text, commands: [] })));
}

/** The worst of what was found, and why, the worst first. `LOW` when nothing was. */
export function assessment(
  findings: readonly Finding[],
  say = (finding: Finding): string => finding.reason,
): RiskAssessment {
  const worst = findings.filter(({ risk }) => risk === 'HIGH');
  const reasons = [...worst, ...findings.filter(({ risk }) => risk === 'MEDIUM')].map(say);
  const risk: SecurityRisk = worst.length > 0 ? 'HIGH' : findings.length > 0 ? 'MEDIUM' : 'LOW';
  return { risk, reasons: [...new Set(reasons)] };
}
