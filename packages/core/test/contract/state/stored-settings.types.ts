import {
  type Hooks,
  type JsonObject,
  type StatePatch,
  type StoredAnalyzer,
  type StoredHooks,
  type StoredPolicy,
} from '../../../src/index.ts';
import { readPolicy } from '../../../src/contract/safeguards/confirmation-policy.ts';
import { keptJson } from '../../../src/platform/json.ts';

declare const json: JsonObject;

/** Settings that a patch may hold: what we know, and what a reader of foreign JSON took over. */
export const patches: readonly StatePatch[] = [
  { set: { confirmationPolicy: { kind: 'ConfirmRisky', threshold: 'LOW', confirm_unknown: true } } },
  { set: { confirmationPolicy: keptJson<'policy'>(json) } },
  { set: { securityAnalyzer: { kind: 'GraySwanAnalyzer', api_key: null } } },
  { set: { hookConfig: { stop: [{ hooks: [{ command: './check' }] }] } } },
  // @ts-expect-error JSON is a policy only where a reader takes it over
  { set: { confirmationPolicy: json } },
  // @ts-expect-error there is no such kind
  { set: { confirmationPolicy: { kind: 'AllwaysConfirm' } } },
  // @ts-expect-error a misspelt member
  { set: { confirmationPolicy: { kind: 'ConfirmRisky', treshold: 'LOW', confirm_unknown: true } } },
  // @ts-expect-error there is no such analyzer
  { set: { securityAnalyzer: { kind: 'PaternSecurityAnalyzer' } } },
  // @ts-expect-error there is no such moment
  { set: { hookConfig: { pre_tool_usage: [] } } },
  // @ts-expect-error the JSON of a policy is not an analyzer
  { set: { securityAnalyzer: keptJson<'policy'>(json) } },
];

/** Stored settings are JSON: a store writes them as they are. */
export const asJson = (policy: StoredPolicy, analyzer: StoredAnalyzer, hooks: StoredHooks): readonly JsonObject[] => [
  policy,
  analyzer,
  hooks,
];

/** The meaning of a policy narrows by its kind. */
export function threshold(stored: StoredPolicy): string {
  const policy = readPolicy(stored);
  switch (policy.kind) {
    case 'ConfirmRisky':
      return policy.threshold;
    case 'AlwaysConfirm':
    case 'NeverConfirm':
    case 'UnknownPolicy':
      return policy.kind;
  }
}

/** Hooks of a runner of one's own need no function to be configured. */
export const config: Hooks['config'] = {};
