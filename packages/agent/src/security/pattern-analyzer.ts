import { checkAgentOptions } from '../agent/check-agent-options.ts';
import { type OptionNames, type RiskAssessment, type SecurityAnalyzer } from '@conv/core';
import type { EventDraftOfKind, JsonObject } from '@conv/core/events';
import { type Corpus, executableCorpus, textCorpus } from './action-corpora.ts';
import { deletionRules } from './deletion-rules.ts';
import { rawDiskOperation } from './disk-rules.ts';
import { executionRules } from './execution-rules.ts';
import { injectionRules } from './injection-rules.ts';
import { networkRules } from './network-rules.ts';
import { fromWire, ownRules, patternMembers, scanOwn, type SecurityPattern } from './own-pattern.ts';
import type { Rule } from './rule.ts';
import { assessment, type Finding, scanScripts, scanTexts } from './scan.ts';
import { systemRules } from './system-rules.ts';

/** Patterns that are looked for beside the built-in rules. Default: none. */
export interface PatternAnalyzerOptions {
  /** In what runs; `HIGH` where found. */
  readonly high?: readonly SecurityPattern[];
  /** In what runs; `MEDIUM` where found. */
  readonly medium?: readonly SecurityPattern[];
  /** In all that the model wrote; `HIGH` where found. */
  readonly injectionHigh?: readonly SecurityPattern[];
  /** In all that the model wrote; `MEDIUM` where found. */
  readonly injectionMedium?: readonly SecurityPattern[];
}

const SCRIPT_RULES: readonly Rule[] = [
  ...deletionRules,
  rawDiskOperation,
  ...executionRules,
  ...systemRules,
  ...networkRules,
];

const CUT: Finding = { id: 'cut', risk: 'MEDIUM', reason: 'Is too long to be looked at as a whole.' };

const NAMES: OptionNames<PatternAnalyzerOptions> = {
  high: true,
  medium: true,
  injectionHigh: true,
  injectionMedium: true,
};

/**
 * Rates actions by what stands in them, without a network or a model. What runs, which is every text in the arguments and
 * the names, is read as commands, whatever it is hidden by: spaces and letters that nobody sees, look-alikes, quotes,
 * escapes, variables. It is looked at for deletions, disks, code that is fetched and run, protections, secrets that are
 * sent. Summary, thoughts and reasoning are looked at for planted instructions alone: thinking of `rm -rf` is no deletion.
 *
 * `LOW` when nothing is found. Of more than 30,000 characters the first and the last half are looked at, and what was not
 * seen is `MEDIUM` at least. Throws {@link AgentError} `INVALID_OPTION` for a pattern that is no regular expression.
 */
export function patternSecurityAnalyzer(options: PatternAnalyzerOptions = {}): SecurityAnalyzer {
  checkAgentOptions('patternSecurityAnalyzer', options, NAMES);
  return analyzerOf(options, { isLenient: false });
}

function analyzerOf(options: PatternAnalyzerOptions, { isLenient }: { readonly isLenient: boolean }): SecurityAnalyzer {
  const { high = [], medium = [], injectionHigh = [], injectionMedium = [] } = options;
  const own = [...ownRules(high, 'HIGH', isLenient), ...ownRules(medium, 'MEDIUM', isLenient)];
  const ownInjections = [
    ...ownRules(injectionHigh, 'HIGH', isLenient),
    ...ownRules(injectionMedium, 'MEDIUM', isLenient),
  ];
  const description = {
    kind: 'PatternSecurityAnalyzer',
    ...patternMembers({
      high_patterns: high,
      medium_patterns: medium,
      injection_high_patterns: injectionHigh,
      injection_medium_patterns: injectionMedium,
    }),
  };
  return {
    describe: () => description,
    assess: (action: EventDraftOfKind<'ActionEvent'>): RiskAssessment => {
      const runs = executableCorpus(action);
      const says = textCorpus(action);
      const all: Corpus = { texts: [...runs.texts, ...says.texts], isCut: runs.isCut || says.isCut };
      return assessment([
        ...scanScripts(runs, SCRIPT_RULES),
        ...scanOwn(runs, own),
        ...scanTexts(all, injectionRules),
        ...scanOwn(all, ownInjections),
        ...(all.isCut ? [CUT] : []),
      ]);
    },
  };
}

/** The analyzer of a stored description; `undefined` when its patterns are not what the wire says. */
export function patternAnalyzerFrom(description: JsonObject): SecurityAnalyzer | undefined {
  const high = fromWire(description['high_patterns']);
  const medium = fromWire(description['medium_patterns']);
  const injectionHigh = fromWire(description['injection_high_patterns']);
  const injectionMedium = fromWire(description['injection_medium_patterns']);
  if (!high || !medium || !injectionHigh || !injectionMedium) return undefined;
  return analyzerOf({ high, medium, injectionHigh, injectionMedium }, { isLenient: true });
}
