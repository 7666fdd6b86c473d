import type { SecurityAnalyzer } from '@conv/core';

/**
 * The risk that the model declared for its call; `UNKNOWN` when it declared none. It costs nothing and trusts the model:
 * one that was talked into something is likely to be talked into calling it harmless, so put it in an ensemble.
 */
export function llmSecurityAnalyzer(): SecurityAnalyzer {
  return {
    describe: () => ({ kind: 'LLMSecurityAnalyzer' }),
    assess: ({ security_risk: risk = 'UNKNOWN' }) => ({
      risk,
      reasons: risk === 'UNKNOWN' ? [] : [`The model itself rates this call as ${risk}.`],
    }),
  };
}
