import type { SecurityAnalyzer } from '@conv/core';

import type { AgentOptions } from '../../commands/run.ts';
import type { Settings } from '../../config/settings.ts';
import { riskAnalyzer } from '../../conversation/safeguards.ts';
import { POLICIES, type PolicyName } from './chat-home.ts';

/** Options of `chat`. */
export interface ChatOptions extends AgentOptions {
  /** The folder of the agent of a new conversation. */
  readonly workspace?: string;
  readonly policy?: PolicyName;
  /** True for the conversation that changed last. */
  readonly last?: boolean;
}

type Safeguards = Pick<Settings['conversation'], 'confirmationPolicy'> & {
  readonly securityAnalyzer?: SecurityAnalyzer;
};

/** Returns the policy that was asked for, if one was. */
export function chosenPolicy({ policy }: ChatOptions): Safeguards {
  return policy === undefined ? {} : { confirmationPolicy: POLICIES[policy], securityAnalyzer: riskAnalyzer() };
}

/** Returns the policy of a new conversation: risky calls wait, unless options or a configuration say otherwise. */
export function firstPolicy(options: ChatOptions, { conversation }: Settings): Safeguards {
  if (options.policy !== undefined || conversation.confirmationPolicy !== undefined) return chosenPolicy(options);
  return { confirmationPolicy: POLICIES.risky, securityAnalyzer: riskAnalyzer() };
}

/** Returns the distinct names, without empty ones. */
export function namesOf(...names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names.flatMap((name) => (name === undefined || name.trim() === '' ? [] : [name.trim()])))];
}
