import type { JsonObject, KeptJson } from '../../platform/json.ts';

/**
 * A security analyzer as the wire describes it, by its kind. `reviveSecurityAnalyzer` builds the first four kinds; OpenHands' servers
 * know the last two as well.
 */
export type SecurityAnalyzerDescription =
  | { readonly kind: 'LLMSecurityAnalyzer' }
  | { readonly kind: 'PolicyRailSecurityAnalyzer' }
  | {
      readonly kind: 'PatternSecurityAnalyzer';
      readonly high_patterns?: readonly (readonly [pattern: string, reason: string, id: string])[];
      readonly medium_patterns?: readonly (readonly [pattern: string, reason: string, id: string])[];
      readonly injection_high_patterns?: readonly (readonly [pattern: string, reason: string, id: string])[];
      readonly injection_medium_patterns?: readonly (readonly [pattern: string, reason: string, id: string])[];
    }
  | {
      readonly kind: 'EnsembleSecurityAnalyzer';
      readonly analyzers: readonly SecurityAnalyzerDescription[];
      readonly propagate_unknown?: boolean;
    }
  | {
      readonly kind: 'GraySwanAnalyzer';
      readonly api_key?: string | null;
      readonly api_url?: string;
      readonly history_limit?: number;
      readonly low_threshold?: number;
      readonly max_message_chars?: number;
      readonly medium_threshold?: number;
      readonly policy_id?: string | null;
      /** Seconds. */
      readonly timeout?: number;
    }
  | {
      readonly kind: 'ToolShieldLLMSecurityAnalyzer';
      /** The model that rates. */
      readonly llm: JsonObject;
      readonly history_window?: number;
      readonly safety_experiences?: string;
    };

/**
 * The description of an analyzer in the state and in files: a kind of this project, or the JSON that the caller's analyzer or
 * another program wrote. It is kept and sent unchanged.
 */
export type StoredAnalyzer = SecurityAnalyzerDescription | KeptJson<'analyzer'>;
