import type { SecurityAnalyzer } from '@conv/core';

/**
 * Creates an analyzer that returns the risk that the model declared for its call; `UNKNOWN` if it declared none. The
 * analyzer costs nothing and trusts the model. A model that was talked into a harmful call is likely to call it
 * harmless, so put this analyzer in an ensemble.
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
