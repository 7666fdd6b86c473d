import { z } from 'zod';
import { absent } from '../schema/kept-member.ts';
import { oneOf } from '../schema/one-of.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { boolean, integer, number } from '../schema/scalars.ts';
import { type LlmDescription, llmDescriptionSchema } from './llm.ts';
import { type OtherKind, otherKindSchema } from './other-kind.ts';

const patternList: z.ZodType<readonly (readonly [string, string, string])[]> = z.array(
  z.tuple([z.string(), z.string(), z.string()]),
);

/** Rates by patterns; each is a pattern, its name and its reason. */
export interface PatternSecurityAnalyzer {
  readonly high_patterns?: readonly (readonly [string, string, string])[];
  readonly injection_high_patterns?: readonly (readonly [string, string, string])[];
  readonly injection_medium_patterns?: readonly (readonly [string, string, string])[];
  readonly kind: 'PatternSecurityAnalyzer';
  readonly medium_patterns?: readonly (readonly [string, string, string])[];
}

const patternSecurityAnalyzerSchema: z.ZodType<PatternSecurityAnalyzer> = named(
  'PatternSecurityAnalyzer',
  kept({
    high_patterns: absent(patternList),
    injection_high_patterns: absent(patternList),
    injection_medium_patterns: absent(patternList),
    kind: z.literal('PatternSecurityAnalyzer'),
    medium_patterns: absent(patternList),
  }),
);

/** Rates by fixed rules. */
export interface PolicyRailSecurityAnalyzer {
  readonly kind: 'PolicyRailSecurityAnalyzer';
}

const policyRailSecurityAnalyzerSchema: z.ZodType<PolicyRailSecurityAnalyzer> = named(
  'PolicyRailSecurityAnalyzer',
  kept({
    kind: z.literal('PolicyRailSecurityAnalyzer'),
  }),
);

/** The highest rating of several analyzers. */
export interface EnsembleSecurityAnalyzer {
  readonly analyzers: readonly KnownAnalyzer[];
  readonly kind: 'EnsembleSecurityAnalyzer';
  readonly propagate_unknown?: boolean;
}

const ensembleSecurityAnalyzerSchema: z.ZodType<EnsembleSecurityAnalyzer> = named(
  'EnsembleSecurityAnalyzer',
  kept({
    analyzers: z.array(z.lazy(() => knownAnalyzerSchema)).min(1),
    kind: z.literal('EnsembleSecurityAnalyzer'),
    propagate_unknown: absent(boolean(), false),
  }),
);

/** Asks a service. */
export interface GraySwanAnalyzer {
  readonly api_key?: string | null;
  readonly api_url?: string;
  readonly history_limit?: number;
  readonly kind: 'GraySwanAnalyzer';
  readonly low_threshold?: number;
  readonly max_message_chars?: number;
  readonly medium_threshold?: number;
  readonly policy_id?: string | null;
  readonly timeout?: number;
}

const graySwanAnalyzerSchema: z.ZodType<GraySwanAnalyzer> = named(
  'GraySwanAnalyzer',
  kept({
    api_key: absent(z.nullable(z.string())),
    api_url: absent(z.string(), 'https://api.grayswan.ai/cygnal/monitor'),
    history_limit: absent(integer(), 20),
    kind: z.literal('GraySwanAnalyzer'),
    low_threshold: absent(number(), 0.3),
    max_message_chars: absent(integer(), 30000),
    medium_threshold: absent(number(), 0.7),
    policy_id: absent(z.nullable(z.string())),
    timeout: absent(number(), 30),
  }),
);

/** Takes the risk that the model itself states. */
export interface LlmSecurityAnalyzer {
  readonly kind: 'LLMSecurityAnalyzer';
}

const llmSecurityAnalyzerSchema: z.ZodType<LlmSecurityAnalyzer> = named(
  'LLMSecurityAnalyzer',
  kept({
    kind: z.literal('LLMSecurityAnalyzer'),
  }),
);

/** Asks a model of its own. */
export interface ToolShieldLlmSecurityAnalyzer {
  readonly history_window?: number;
  readonly kind: 'ToolShieldLLMSecurityAnalyzer';
  readonly llm: LlmDescription;
  readonly safety_experiences?: string;
}

const toolShieldLlmSecurityAnalyzerSchema: z.ZodType<ToolShieldLlmSecurityAnalyzer> = named(
  'ToolShieldLLMSecurityAnalyzer',
  kept({
    history_window: absent(integer(), 20),
    kind: z.literal('ToolShieldLLMSecurityAnalyzer'),
    llm: llmDescriptionSchema,
    safety_experiences: absent(z.string(), ''),
  }),
);

/** An analyzer of a known kind. */
export type KnownAnalyzer =
  | PatternSecurityAnalyzer
  | PolicyRailSecurityAnalyzer
  | EnsembleSecurityAnalyzer
  | GraySwanAnalyzer
  | LlmSecurityAnalyzer
  | ToolShieldLlmSecurityAnalyzer;

/** What rates the risk of the agent's actions. */
export type AnalyzerDescription = KnownAnalyzer | OtherKind;

const members = {
  PatternSecurityAnalyzer: patternSecurityAnalyzerSchema,
  PolicyRailSecurityAnalyzer: policyRailSecurityAnalyzerSchema,
  EnsembleSecurityAnalyzer: ensembleSecurityAnalyzerSchema,
  GraySwanAnalyzer: graySwanAnalyzerSchema,
  LLMSecurityAnalyzer: llmSecurityAnalyzerSchema,
  ToolShieldLLMSecurityAnalyzer: toolShieldLlmSecurityAnalyzerSchema,
};

/** An analyzer that a client asks for: one of an unknown kind is refused, for nothing would be rated. */
export const knownAnalyzerSchema: z.ZodType<KnownAnalyzer> = named(
  'KnownSecurityAnalyzer',
  oneOf<KnownAnalyzer>({ by: 'kind', members }),
);

/** An analyzer that a server tells of. */
export const analyzerDescriptionSchema: z.ZodType<AnalyzerDescription> = named(
  'SecurityAnalyzerBase',
  oneOf<AnalyzerDescription>({ by: 'kind', members, other: otherKindSchema, tolerant: true }),
);
