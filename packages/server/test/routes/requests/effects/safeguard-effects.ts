import { acts, each, noOp, type Effects } from '../effect.ts';
import { acted, hookKinds, madeOf } from './shared-effects.ts';
import { analyzers, hookForms, members, start } from './test-files.ts';

const commandHooks = acts(start, 'P13: a request with hooks that have %s is refused with the place');

/** Effects of the members of policies, analyzers, tools of clients and hooks. */
export const SAFEGUARD_EFFECTS: Effects = {
  AlwaysConfirm: { kind: madeOf },
  ConfirmRisky: each(
    ['kind', 'threshold', 'confirm_unknown'],
    acts(
      'packages/core/test/contract/safeguards/confirmation-policy.test.ts',
      'a description is completed with defaults, and a wrong one is refused by name',
    ),
  ),
  NeverConfirm: { kind: acted },
  KnownSecurityAnalyzer: {},
  PatternSecurityAnalyzer: each(
    ['kind', 'high_patterns', 'injection_high_patterns', 'injection_medium_patterns', 'medium_patterns'],
    acts(analyzers, 'patterns of a description among %s are looked for and rated %s'),
  ),
  PolicyRailSecurityAnalyzer: { kind: acts(analyzers, 'rails look only at the command that runs') },
  EnsembleSecurityAnalyzer: each(
    ['analyzers', 'kind', 'propagate_unknown'],
    acts(analyzers, 'a described ensemble asks its analyzers, and propagate_unknown decides about UNKNOWN: %s'),
  ),
  GraySwanAnalyzer: {
    '*': noOp('the kind is stored but asks no service, so every action that it would rate counts as HIGH'),
  },
  LLMSecurityAnalyzer: { kind: madeOf },
  ToolShieldLLMSecurityAnalyzer: {
    '*': noOp('the kind is stored but asks no model, so every action that it would rate counts as HIGH'),
  },
  ClientToolSpec: each(
    ['annotations', 'description', 'name', 'parameters'],
    acts(members, 'annotations of a client tool are told, and is_error of its answer is an error that the model reads'),
  ),
  openhands__sdk__tool__tool__ToolAnnotations: {
    readOnlyHint: acts(
      'packages/openhands/test/client-tools/client-tool.test.ts',
      'a client tool passes on the annotations of its caller, and adds none',
    ),
    ...each(
      ['destructiveHint', 'idempotentHint', 'openWorldHint', 'title'],
      noOp('it is stored with the tool and shown to clients'),
    ),
  },
  RequestedHookConfig: {
    ...each(
      ['session_end', 'session_start', 'stop', 'user_prompt_submit'],
      acts(members, 'hooks of session_start, user_prompt_submit, stop and session_end run at their moments'),
    ),
    ...each(
      ['post_tool_use', 'pre_tool_use'],
      acts('packages/hooks/test/environment.test.ts', 'pre_tool_use and post_tool_use run around the calls of a tool'),
    ),
  },
  RequestedHookMatcher: { hooks: commandHooks, matcher: commandHooks },
  RequestedHookDefinition: {
    command: commandHooks,
    timeout: commandHooks,
    async: acts(hookForms, 'a configuration of hooks with %s is refused at its place'),
    name: acts('packages/hooks/test/config.test.ts', 'kinds that cannot run here are kept with all they say'),
    prompt: hookKinds,
    system_prompt: hookKinds,
    type: hookKinds,
    ...each(['max_iterations', 'tools'], noOp('it is stored; a hook that would run an agent fails with the reason')),
  },
};
