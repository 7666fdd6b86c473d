import { HOOK_MEMBERS, MAX_HOOK_TIMEOUT, type StoredHooks, type HookOccasion } from '@conv/core';
import { isObject } from '@conv/core/platform';
import { z } from 'zod';
import { absent, boolean, integer, kept, keptAs, named } from '../schema/index.ts';

const members = {
  async: absent(boolean(), false),
  command: z.string(),
  max_iterations: absent(integer(), 3),
  name: absent(z.nullable(z.string())),
  prompt: absent(z.nullable(z.string())),
  system_prompt: absent(z.nullable(z.string())),
  timeout: absent(integer(), 60),
  tools: absent(z.array(z.string())),
  type: absent(named('HookType', z.enum(['command', 'prompt', 'agent'])), 'command'),
};

const hookDefinitionSchema = keptAs('HookDefinition', members);

export type HookDefinition = z.output<typeof hookDefinitionSchema>;

const hookMatcherSchema = keptAs('HookMatcher', {
  hooks: absent(z.array(hookDefinitionSchema)),
  matcher: absent(z.string(), '*'),
});

/** Hooks for the tools that a pattern names. */
export type HookMatcher = z.output<typeof hookMatcherSchema>;

type Moments<Matcher extends z.ZodType> = Readonly<
  Record<(typeof HOOK_MEMBERS)[HookOccasion['type']], z.ZodExactOptional<z.ZodArray<Matcher>>>
>;

function momentsOf<Matcher extends z.ZodType>(matcher: Matcher): Moments<Matcher> {
  const matchers = absent(z.array(matcher));
  return Object.fromEntries(Object.values(HOOK_MEMBERS).map((name) => [name, matchers])) as Moments<Matcher>;
}

const hookConfig = kept(momentsOf(hookMatcherSchema));

/** Hooks by the moment they run at. */
export type HookConfig = z.output<typeof hookConfig>;

/** Hooks in an answer of a server. Unknown members are kept. */
export const hookConfigSchema: z.ZodType<StoredHooks> = named('HookConfig', hookConfig);

const requestedDefinitionSchema: z.ZodType<HookDefinition> = named(
  'RequestedHookDefinition',
  kept({
    ...members,
    command: z.string().default(''),
    max_iterations: absent(integer({ minimum: 1 }), 3),
    timeout: absent(integer({ minimum: 1, maximum: MAX_HOOK_TIMEOUT }), 60),
    type: absent(z.enum(['command', 'prompt', 'agent']), 'command'),
  }).superRefine((hook, context) => {
    const refuse = (member: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [member], message });
    const { type = 'command', command, prompt, async: background = false } = hook;
    if (type === 'command' && command === '') refuse('command', 'a hook of type command needs a command');
    if (type === 'prompt' && !prompt) refuse('prompt', 'a hook of type prompt needs a prompt');
    if (type !== 'command' && command !== '') refuse('command', `a hook of type ${type} has no command`);
    if (type !== 'command' && background) refuse('async', `a hook of type ${type} cannot be asynchronous`);
  }),
);

const requestedMatcherSchema: z.ZodType<HookMatcher> = keptAs('RequestedHookMatcher', {
  hooks: absent(z.array(requestedDefinitionSchema)),
  matcher: absent(z.string(), '*'),
});

const NAMES: ReadonlyMap<string, string> = new Map(Object.entries(HOOK_MEMBERS));

/**
 * Reads the form of hook files as well: everything below `hooks`, and moments written as `PreToolUse`. A moment that is present
 * under both names is left unchanged, and then refused.
 */
function inOneForm(config: unknown): unknown {
  if (!isObject(config)) return config;
  const members = 'hooks' in config ? config['hooks'] : config;
  if (!isObject(members)) return members;
  return Object.fromEntries(
    Object.entries(members).map(([name, matchers]) => {
      const known = NAMES.get(name);
      return [known !== undefined && !(known in members) ? known : name, matchers];
    }),
  );
}

/** Hooks in a request. An unknown moment is refused, because its hooks would never run. */
export const requestedHookConfigSchema: z.ZodType<HookConfig> = named(
  'RequestedHookConfig',
  z.preprocess(inOneForm, z.strictObject(momentsOf(requestedMatcherSchema))),
);

/** Reads the hooks of a file of a plugin, in each of its forms. Unknown moments are left out, because files have them for other programs. Throws a `ZodError`. */
export function readHookFile(content: unknown): { readonly config: HookConfig; readonly unknown: readonly string[] } {
  const members = inOneForm(content);
  if (!isObject(members)) return { config: z.parse(requestedHookConfigSchema, members), unknown: [] };
  const known = new Set<string>(Object.values(HOOK_MEMBERS));
  const entries = Object.entries(members);
  const config = z.parse(requestedHookConfigSchema, Object.fromEntries(entries.filter(([name]) => known.has(name))));
  return { config, unknown: entries.flatMap(([name]) => (known.has(name) ? [] : [name])) };
}
