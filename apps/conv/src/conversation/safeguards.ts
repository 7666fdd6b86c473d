import { ensembleSecurityAnalyzer, llmSecurityAnalyzer, patternSecurityAnalyzer } from '@conv/agent';
import type { ConfirmationPolicyInput, SecurityAnalyzer } from '@conv/core';
import type { Sandbox } from '@conv/core/tool';
import { loadHooks } from '@conv/hooks';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';

/** Options for the actions that a person wants to be asked about. */
export interface SafeguardOptions {
  readonly confirm?: boolean;
  readonly confirmRisky?: boolean;
}

/** The policy for these options, else the configured one, and the analyzer that says how risky an action is and why. */
export function safeguards(
  { confirm, confirmRisky }: SafeguardOptions,
  configured?: ConfirmationPolicyInput,
): {
  readonly confirmationPolicy?: ConfirmationPolicyInput;
  readonly securityAnalyzer?: SecurityAnalyzer;
} {
  if (!confirm && !confirmRisky)
    return configured ? { confirmationPolicy: configured, securityAnalyzer: riskAnalyzer() } : {};
  return {
    confirmationPolicy: confirm ? { kind: 'AlwaysConfirm' } : { kind: 'ConfirmRisky', threshold: 'MEDIUM' },
    securityAnalyzer: riskAnalyzer(),
  };
}

/** Patterns, and what the model itself says of its call: the higher of the two counts. */
export function riskAnalyzer(): SecurityAnalyzer {
  return ensembleSecurityAnalyzer({ analyzers: [patternSecurityAnalyzer(), llmSecurityAnalyzer()] });
}

/** Returns the hooks of a workspace if they were asked for. They are commands of the folder's author, so the agent's sandbox confines them. */
export async function hooksOf(
  workspace: string | undefined,
  asked = false,
  confined: { readonly sandbox?: Sandbox } = {},
): Promise<{ hooks?: NonNullable<Awaited<ReturnType<typeof loadHooks>>> }> {
  if (!asked) return {};
  if (workspace === undefined)
    throw new CommandError(
      exitCodes.usage,
      '--hooks: expected a workspace on this machine; hooks on a server are not read',
    );
  const hooks = await loadHooks(workspace, confined);
  if (hooks) return { hooks };
  throw new CommandError(
    exitCodes.usage,
    `there is no .openhands/hooks.json in ${workspace}; write it, or leave out --hooks`,
  );
}
