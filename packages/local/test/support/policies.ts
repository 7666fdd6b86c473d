import type { JsonObject } from '@conv/core';

import { FakeAnalyzer } from './fake-analyzer.ts';

/** Policies for an agent with a tool `safe`, a tool `risky` and others. */
export const POLICIES = {
  always: { kind: 'AlwaysConfirm' },
  never: { kind: 'NeverConfirm' },
  risky: { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true },
} as const satisfies Record<string, JsonObject>;

/** Says of the tool `risky` that it is one. */
export function riskAnalyzer(): FakeAnalyzer {
  return new FakeAnalyzer((tool) => ({ risk: tool === 'risky' ? 'HIGH' : 'LOW', reasons: [] }));
}

/** True if the policy allows the tool, computed without the code under test. */
export function allows(policy: JsonObject, tool: string, setting: JsonObject | null): boolean {
  if (policy['kind'] === 'NeverConfirm') return true;
  return policy['kind'] === 'ConfirmRisky' && setting !== null && tool === 'safe';
}
