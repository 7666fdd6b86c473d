import type { AssessOptions, OptionNames, RiskAssessment, SecurityAnalyzer } from '@conv/core';
import { checkAgentOptions } from '../base/check-agent-options.ts';
import { checkMembers } from '../base/check-members.ts';
import type { EventDraftOfKind, SecurityRisk } from '@conv/core/events';
import { AgentError } from '../base/agent-error.ts';

/** Options of an ensemble of security analyzers. */
export interface EnsembleOptions {
  /** The members, at least one. */
  readonly analyzers: readonly SecurityAnalyzer[];
  /**
   * If true, a single `UNKNOWN` makes the verdict `UNKNOWN`, unless it is `HIGH`. Default `false`: the verdict is
   * `UNKNOWN` only if it is the verdict of every member.
   */
  readonly propagateUnknown?: boolean;
}

const ORDER = { LOW: 1, MEDIUM: 2, HIGH: 3 } as const;

const NAMES: OptionNames<EnsembleOptions> = { analyzers: true, propagateUnknown: true };

/**
 * Creates an analyzer that asks several analyzers at once: the worst rating counts, with the reasons of all. A member that fails
 * counts as `HIGH`. Throws {@link AgentError} `INVALID_OPTION` without a member.
 *
 * @example
 * ```ts
 * import { ensembleSecurityAnalyzer, llmSecurityAnalyzer, patternSecurityAnalyzer } from '@conv/agent';
 *
 * export const analyzer = ensembleSecurityAnalyzer({ analyzers: [patternSecurityAnalyzer(), llmSecurityAnalyzer()] });
 * ```
 */
export function ensembleSecurityAnalyzer(options: EnsembleOptions): SecurityAnalyzer {
  checkAgentOptions('ensembleSecurityAnalyzer', options, NAMES);
  const { analyzers, propagateUnknown = false } = options;
  checkMembers('ensembleSecurityAnalyzer: analyzers', analyzers, {
    list: '[patternSecurityAnalyzer(), llmSecurityAnalyzer()]',
    member: 'an analyzer such as patternSecurityAnalyzer()',
    methods: ['describe', 'assess'],
  });
  if (analyzers.length === 0) throw new AgentError('INVALID_OPTION', 'an ensemble needs at least one analyzer');
  return {
    describe: () => ({
      kind: 'EnsembleSecurityAnalyzer',
      analyzers: analyzers.map((analyzer) => analyzer.describe()),
      propagate_unknown: propagateUnknown,
    }),
    assess: async (action, options) => {
      const { signal } = options;
      signal.throwIfAborted();
      const verdicts = await Promise.all(analyzers.map((analyzer) => ask(analyzer, action, options)));
      signal.throwIfAborted();
      return {
        risk: worst(
          verdicts.map(({ risk }) => risk),
          propagateUnknown,
        ),
        reasons: [...new Set(verdicts.flatMap(({ reasons }) => reasons))],
      };
    },
  };
}

async function ask(
  analyzer: SecurityAnalyzer,
  action: EventDraftOfKind<'ActionEvent'>,
  options: AssessOptions,
): Promise<RiskAssessment> {
  try {
    const verdict = await analyzer.assess(action, options);
    if (isRisk(verdict.risk)) return { risk: verdict.risk, reasons: [...verdict.reasons] };
  } catch {
    // The error may hold parts of the call that was rated, so it is not repeated.
  }
  return { risk: 'HIGH', reasons: [`${nameOf(analyzer)} could not rate this call.`] };
}

function nameOf(analyzer: SecurityAnalyzer): string {
  const { kind } = analyzer.describe();
  return typeof kind === 'string' ? kind : 'An analyzer';
}

function isRisk(risk: unknown): risk is SecurityRisk {
  return risk === 'UNKNOWN' || risk === 'LOW' || risk === 'MEDIUM' || risk === 'HIGH';
}

function worst(risks: readonly SecurityRisk[], propagateUnknown: boolean): SecurityRisk {
  const known = risks.filter((risk) => risk !== 'UNKNOWN');
  // a risk that one member knows is not smaller because another member knows nothing
  if (propagateUnknown && known.length < risks.length && !known.includes('HIGH')) return 'UNKNOWN';
  return known.reduce<SecurityRisk>(
    (worse, risk) => (worse === 'UNKNOWN' || ORDER[risk] > ORDER[worse] ? risk : worse),
    'UNKNOWN',
  );
}
