import { z } from 'zod';
import { absent } from '../schema/kept-member.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { boolean, integer } from '../schema/scalars.ts';

/** One hook. */
export interface HookDefinition {
  readonly async?: boolean;
  readonly command: string;
  readonly max_iterations?: number;
  readonly name?: string | null;
  readonly prompt?: string | null;
  readonly system_prompt?: string | null;
  readonly timeout?: number;
  readonly tools?: readonly string[];
  readonly type?: 'command' | 'prompt' | 'agent';
}

const hookDefinitionSchema: z.ZodType<HookDefinition> = named(
  'HookDefinition',
  kept({
    async: absent(boolean(), false),
    command: z.string(),
    max_iterations: absent(integer(), 3),
    name: absent(z.nullable(z.string())),
    prompt: absent(z.nullable(z.string())),
    system_prompt: absent(z.nullable(z.string())),
    timeout: absent(integer(), 60),
    tools: absent(z.array(z.string())),
    type: absent(named('HookType', z.enum(['command', 'prompt', 'agent'])), 'command'),
  }),
);

/** Hooks for the tools that a pattern names. */
export interface HookMatcher {
  readonly hooks?: readonly HookDefinition[];
  readonly matcher?: string;
}

const hookMatcherSchema: z.ZodType<HookMatcher> = named(
  'HookMatcher',
  kept({
    hooks: absent(z.array(hookDefinitionSchema)),
    matcher: absent(z.string(), '*'),
  }),
);

/** Hooks by the moment they run at. */
export interface HookConfig {
  readonly post_tool_use?: readonly HookMatcher[];
  readonly pre_tool_use?: readonly HookMatcher[];
  readonly session_end?: readonly HookMatcher[];
  readonly session_start?: readonly HookMatcher[];
  readonly stop?: readonly HookMatcher[];
  readonly user_prompt_submit?: readonly HookMatcher[];
}

const hookConfigMembers = {
  post_tool_use: absent(z.array(hookMatcherSchema)),
  pre_tool_use: absent(z.array(hookMatcherSchema)),
  session_end: absent(z.array(hookMatcherSchema)),
  session_start: absent(z.array(hookMatcherSchema)),
  stop: absent(z.array(hookMatcherSchema)),
  user_prompt_submit: absent(z.array(hookMatcherSchema)),
};

/** Hooks that a server tells of. */
export const hookConfigSchema: z.ZodType<HookConfig> = named('HookConfig', kept(hookConfigMembers));

/** Hooks that a client asks for: a moment that is not known is refused, for its hooks would never run. */
export const requestedHookConfigSchema: z.ZodType<HookConfig> = named(
  'RequestedHookConfig',
  z.strictObject(hookConfigMembers),
);
