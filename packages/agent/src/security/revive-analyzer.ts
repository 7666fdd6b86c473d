import { checkOptionNames, type OptionNames, type SecurityAnalyzer } from '@conv/core';
import { isObject, type Platform, systemPlatform } from '@conv/core/platform';
import type { JsonObject, Json } from '@conv/core/events';
import { ensembleSecurityAnalyzer } from './ensemble-analyzer.ts';
import { llmSecurityAnalyzer } from './llm-analyzer.ts';
import { patternAnalyzerFrom } from './pattern-analyzer.ts';
import { policyRailSecurityAnalyzer } from './policy-rail-analyzer.ts';

/** The deepest nesting of ensembles that is followed. */
const MAX_DEPTH = 10;

/** Options of {@link reviveSecurityAnalyzer}. */
export interface ReviveAnalyzerOptions {
  /** Measures the time that the search for patterns may take. Default: the platform of the host. */
  readonly platform?: Pick<Platform, 'monotonic'>;
}

const NAMES: OptionNames<ReviveAnalyzerOptions> = { platform: true };

type Sources = Required<ReviveAnalyzerOptions>;

/**
 * Makes the analyzer of a stored description, also of OpenHands; a `SecurityAnalyzerFactory`. Returns `undefined` for
 * an unknown kind and for an invalid description. In an ensemble such a member is kept, and counts as `HIGH`.
 */
export function reviveSecurityAnalyzer(
  description: JsonObject,
  options: ReviveAnalyzerOptions = {},
): SecurityAnalyzer | undefined {
  checkOptionNames('reviveSecurityAnalyzer', options, NAMES);
  const { platform = systemPlatform } = options;
  return revive(description, { platform }, 0);
}

function revive(description: JsonObject, sources: Sources, depth: number): SecurityAnalyzer | undefined {
  const { kind } = description;
  if (kind === 'LLMSecurityAnalyzer') return llmSecurityAnalyzer();
  if (kind === 'PatternSecurityAnalyzer') return patternAnalyzerFrom(description, sources.platform);
  if (kind === 'PolicyRailSecurityAnalyzer') return policyRailSecurityAnalyzer();
  return kind === 'EnsembleSecurityAnalyzer' ? ensembleFrom(description, sources, depth) : undefined;
}

function ensembleFrom(description: JsonObject, sources: Sources, depth: number): SecurityAnalyzer | undefined {
  const { analyzers, propagate_unknown: propagateUnknown } = description;
  if (!Array.isArray(analyzers) || analyzers.length === 0 || depth >= MAX_DEPTH) return undefined;
  return ensembleSecurityAnalyzer({
    analyzers: analyzers.map((member: Json) => memberFrom(member, sources, depth)),
    propagateUnknown: propagateUnknown === true,
  });
}

function memberFrom(member: Json, sources: Sources, depth: number): SecurityAnalyzer {
  const description: JsonObject = isObject(member) ? (member as JsonObject) : {};
  return revive(description, sources, depth + 1) ?? unknownAnalyzer(description);
}

/**
 * Stands for an unknown analyzer. The user who set it wanted a check that cannot be made here, so each call is `HIGH`.
 */
function unknownAnalyzer(description: JsonObject): SecurityAnalyzer {
  const { kind } = description;
  const name = typeof kind === 'string' ? kind : 'an analyzer without a kind';
  return {
    describe: () => description,
    assess: () => ({ risk: 'HIGH', reasons: [`The check by ${name} is not available here.`] }),
  };
}
