import type { SecurityAnalyzer } from '@conv/core';
import { isObject } from '@conv/core/platform';
import type { JsonObject, Json } from '@conv/core/events';
import { ensembleSecurityAnalyzer } from './ensemble-analyzer.ts';
import { llmSecurityAnalyzer } from './llm-analyzer.ts';
import { patternAnalyzerFrom } from './pattern-analyzer.ts';
import { policyRailSecurityAnalyzer } from './policy-rail-analyzer.ts';

/** The deepest nesting of ensembles that is followed. */
const MAX_DEPTH = 10;

/**
 * Makes the analyzer of a stored description, also of OpenHands; a `SecurityAnalyzerFactory`. Returns `undefined` for
 * an unknown kind and for an invalid description. In an ensemble such a member is kept, and counts as `HIGH`.
 */
export function reviveSecurityAnalyzer(description: JsonObject): SecurityAnalyzer | undefined {
  return isObject(description) ? revive(description, 0) : undefined;
}

function revive(description: JsonObject, depth: number): SecurityAnalyzer | undefined {
  const { kind } = description;
  if (kind === 'LLMSecurityAnalyzer') return llmSecurityAnalyzer();
  if (kind === 'PatternSecurityAnalyzer') return patternAnalyzerFrom(description);
  if (kind === 'PolicyRailSecurityAnalyzer') return policyRailSecurityAnalyzer();
  return kind === 'EnsembleSecurityAnalyzer' ? ensembleFrom(description, depth) : undefined;
}

function ensembleFrom(description: JsonObject, depth: number): SecurityAnalyzer | undefined {
  const { analyzers, propagate_unknown: propagateUnknown } = description;
  if (!Array.isArray(analyzers) || analyzers.length === 0 || depth >= MAX_DEPTH) return undefined;
  return ensembleSecurityAnalyzer({
    analyzers: analyzers.map((member: Json) => memberFrom(member, depth)),
    propagateUnknown: propagateUnknown === true,
  });
}

function memberFrom(member: Json, depth: number): SecurityAnalyzer {
  const description: JsonObject = isObject(member) ? (member as JsonObject) : {};
  return revive(description, depth + 1) ?? unknownAnalyzer(description);
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
