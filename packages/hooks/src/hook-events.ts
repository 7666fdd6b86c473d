import { HOOK_MEMBERS, type HookOccasion } from '@conv/core';

/** The moments at which hooks run, in the order in which they are stored. */
export const HOOK_EVENTS: readonly HookOccasion['type'][] = Object.keys(HOOK_MEMBERS) as HookOccasion['type'][];

const byName = new Map<string, HookOccasion['type']>(
  HOOK_EVENTS.flatMap((type) =>
    [type, HOOK_MEMBERS[type], type.charAt(0).toLowerCase() + type.slice(1)].map((name) => [name, type] as const),
  ),
);

/** The moment with this name: `PreToolUse`, `preToolUse` or `pre_tool_use`. */
export function hookEventOf(name: string): HookOccasion['type'] | undefined {
  return byName.get(name);
}

/** True if hooks of this event are selected by matchers. */
export function concernsTools(type: HookOccasion['type']): boolean {
  return type === 'PreToolUse' || type === 'PostToolUse';
}

/** True if a hook of this event can stop the action. */
export function canBlock(type: HookOccasion['type']): boolean {
  return type === 'PreToolUse' || type === 'UserPromptSubmit' || type === 'Stop';
}
