import type { SecurityAnalyzerDescription, StoredAnalyzer } from '@conv/core';
import { z } from 'zod';
import { absent, boolean, integer, keptAs, named, number, oneOf } from '../schema/index.ts';
import { unknownAnalyzerMembers } from './analyzer-members.ts';
import { llmDescriptionSchema } from './llm.ts';
import { otherKindSchema } from './other-kind.ts';

type Kind<Name> = z.ZodType<Extract<SecurityAnalyzerDescription, { readonly kind: Name }>>;

const patternList: z.ZodType<readonly (readonly [string, string, string])[]> = z.array(
  z.tuple([z.string(), z.string(), z.string()]),
);

/** Rates by patterns; each is a pattern, its name and its reason. */
const patternSecurityAnalyzerSchema: Kind<'PatternSecurityAnalyzer'> = keptAs('PatternSecurityAnalyzer', {
  high_patterns: absent(patternList),
  injection_high_patterns: absent(patternList),
  injection_medium_patterns: absent(patternList),
  kind: z.literal('PatternSecurityAnalyzer'),
  medium_patterns: absent(patternList),
});

/** Rates by fixed rules. */
const policyRailSecurityAnalyzerSchema: Kind<'PolicyRailSecurityAnalyzer'> = keptAs('PolicyRailSecurityAnalyzer', {
  kind: z.literal('PolicyRailSecurityAnalyzer'),
});

/** The highest rating of several analyzers. */
const ensembleSecurityAnalyzerSchema: Kind<'EnsembleSecurityAnalyzer'> = keptAs('EnsembleSecurityAnalyzer', {
  analyzers: z.array(z.lazy(() => knownAnalyzerSchema)).min(1),
  kind: z.literal('EnsembleSecurityAnalyzer'),
  propagate_unknown: absent(boolean(), false),
});

/** Asks a service. */
const graySwanAnalyzerSchema: Kind<'GraySwanAnalyzer'> = keptAs('GraySwanAnalyzer', {
  api_key: absent(z.nullable(z.string())),
  api_url: absent(z.string(), 'https://api.grayswan.ai/cygnal/monitor'),
  history_limit: absent(integer(), 20),
  kind: z.literal('GraySwanAnalyzer'),
  low_threshold: absent(number(), 0.3),
  max_message_chars: absent(integer(), 30000),
  medium_threshold: absent(number(), 0.7),
  policy_id: absent(z.nullable(z.string())),
  timeout: absent(number(), 30),
});

/** Takes the risk that the model itself states. */
const llmSecurityAnalyzerSchema: Kind<'LLMSecurityAnalyzer'> = keptAs('LLMSecurityAnalyzer', {
  kind: z.literal('LLMSecurityAnalyzer'),
});

/** Asks a model of its own. */
const toolShieldLlmSecurityAnalyzerSchema: Kind<'ToolShieldLLMSecurityAnalyzer'> = keptAs(
  'ToolShieldLLMSecurityAnalyzer',
  {
    history_window: absent(integer(), 20),
    kind: z.literal('ToolShieldLLMSecurityAnalyzer'),
    llm: llmDescriptionSchema,
    safety_experiences: absent(z.string(), ''),
  },
);

const members = {
  PatternSecurityAnalyzer: patternSecurityAnalyzerSchema,
  PolicyRailSecurityAnalyzer: policyRailSecurityAnalyzerSchema,
  EnsembleSecurityAnalyzer: ensembleSecurityAnalyzerSchema,
  GraySwanAnalyzer: graySwanAnalyzerSchema,
  LLMSecurityAnalyzer: llmSecurityAnalyzerSchema,
  ToolShieldLLMSecurityAnalyzer: toolShieldLlmSecurityAnalyzerSchema,
};

/** An analyzer in a request. An unknown kind is refused, because it could not rate anything. */
const knownAnalyzerSchema: z.ZodType<SecurityAnalyzerDescription> = named(
  'KnownSecurityAnalyzer',
  oneOf<SecurityAnalyzerDescription>({ by: 'kind', members }),
);

/**
 * An analyzer in a request, or null. Refuses unknown members and names their place, because a misspelt member would leave its
 * default in force. OpenHands' clients send known members alone.
 */
export const requestedAnalyzerSchema: z.ZodNullable<z.ZodType<SecurityAnalyzerDescription>> = z
  .nullable(knownAnalyzerSchema)
  .superRefine((analyzer, context) => {
    for (const { path, name } of analyzer ? unknownAnalyzerMembers(analyzer) : [])
      context.addIssue({ code: 'unrecognized_keys', keys: [name], path: [...path], input: { ...analyzer } });
  });

/** Description of the analyzer that rates the risk of the agent's actions. */
export const analyzerDescriptionSchema = named(
  'SecurityAnalyzerBase',
  oneOf<StoredAnalyzer>({ by: 'kind', members, other: otherKindSchema, tolerant: true }),
);
