import type { AssessOptions, OptionNames, RiskAssessment, SecurityAnalyzer } from '@conv/core';
import type { EventDraftOfKind, JsonObject } from '@conv/core/events';
import { checkAgentOptions } from '../base/check-agent-options.ts';
import { assessment } from './facts/findings.ts';
import { findingsOf } from './findings-of.ts';
import { injectionsIn } from './injection-rules.ts';
import { checkPatterns, fromWire, ownRules, patternMembers, scanOwn, type SecurityPattern } from './own-pattern.ts';
import { argumentsOf, editsIn, runsOf, withSaid } from './read-action.ts';
import { hasOtherFolders, withNamedFolders } from './shell-folders.ts';
import { factsOf, type FileFacts } from './read-edit.ts';

type Action = EventDraftOfKind<'ActionEvent'>;

/** Patterns beside the built-in rules. Default: none. */
export interface PatternAnalyzerOptions {
  /** Patterns for everything that runs; a match is `HIGH`. */
  readonly high?: readonly SecurityPattern[];
  /** Patterns for everything that runs; a match is `MEDIUM`. */
  readonly medium?: readonly SecurityPattern[];
  /** Patterns for all text that the model wrote; a match is `HIGH`. */
  readonly injectionHigh?: readonly SecurityPattern[];
  /** Patterns for all text that the model wrote; a match is `MEDIUM`. */
  readonly injectionMedium?: readonly SecurityPattern[];
}

const NAMES: OptionNames<PatternAnalyzerOptions> = {
  high: true,
  medium: true,
  injectionHigh: true,
  injectionMedium: true,
};

/**
 * Rates actions by their effect, without a network or a model. Commands are read with the grammar of bash: through
 * wrappers, pipes, substitutions, variables and heredocs down to the programs that run, and to the paths and addresses
 * that these are given.
 * - Deleting and writing inside the workspace is `LOW`.
 * - The network, other programs of this machine and files outside are `MEDIUM`.
 * - Keys, the system, the server that runs the agent, code that is not visible, and text that cannot be read as a whole
 *   are `HIGH`.
 *
 * In summary, thoughts and reasoning the analyzer looks for planted instructions alone: thinking of `rm -rf` is no
 * deletion.
 *
 * Throws {@link AgentError} `INVALID_OPTION` for a pattern that is not a regular expression.
 */
export function patternSecurityAnalyzer(options: PatternAnalyzerOptions = {}): SecurityAnalyzer {
  checkAgentOptions('patternSecurityAnalyzer', options, NAMES);
  for (const [name, patterns] of Object.entries(options))
    if (patterns !== undefined) checkPatterns(`patternSecurityAnalyzer: ${name}`, patterns);
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
    assess: (action: Action, circumstances: AssessOptions): RiskAssessment | Promise<RiskAssessment> => {
      const given = argumentsOf(action);
      const runs = runsOf(action, given);
      const rate = (known: AssessOptions, facts?: readonly FileFacts[]): RiskAssessment => {
        const all = withSaid(runs, action);
        const found = findingsOf(action, given, runs, known, facts);
        const injections = injectionsIn(all);
        if (own.length === 0 && ownInjections.length === 0 && injections.length === 0) return assessment(found);
        const [owned, planted] = [scanOwn(runs, own), scanOwn(all, ownInjections)];
        return assessment([...found, ...owned, ...injections, ...planted]);
      };
      const edits = editsIn(given);
      const { workingDirectory } = circumstances;
      if (edits.length > 0 && workingDirectory !== undefined)
        return Promise.all(edits.map((edit) => factsOf(edit, workingDirectory))).then((facts) =>
          rate(circumstances, facts),
        );
      return hasOtherFolders(circumstances)
        ? withNamedFolders(circumstances).then((known) => rate(known))
        : rate(circumstances);
    },
  };
}

/** Makes the analyzer of a stored description; `undefined` if its patterns do not have the wire's form. */
export function patternAnalyzerFrom(description: JsonObject): SecurityAnalyzer | undefined {
  const high = fromWire(description['high_patterns']);
  const medium = fromWire(description['medium_patterns']);
  const injectionHigh = fromWire(description['injection_high_patterns']);
  const injectionMedium = fromWire(description['injection_medium_patterns']);
  if (!high || !medium || !injectionHigh || !injectionMedium) return undefined;
  return analyzerOf({ high, medium, injectionHigh, injectionMedium }, { isLenient: true });
}
