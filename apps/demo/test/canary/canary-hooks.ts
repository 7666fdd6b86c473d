import type { Hooks, StoredHooks } from '@conv/core';
import { createHooks, reviveHooks, type HookFunction } from '@conv/hooks';

import type { Carrier } from './carrier.ts';

const COPY = 'cat >> "$TMPDIR/hooks.jsonl"';

/** Hooks that are told secrets and say them, and how a stored conversation finds them again. */
export function canaryHooks(carrier: Carrier): {
  readonly hooks: Hooks;
  readonly factory: (config: StoredHooks) => Hooks | undefined;
} {
  const functions = hookFunctions(carrier);
  const hooks = createHooks(
    {
      // the two are resolved because they are named, before the command starts
      sessionStart: [{ hooks: [{ command: `: $FROM_FUNCTION $FROM_LOOKUP; ${COPY}; cat hook-context.json` }] }],
      userPromptSubmit: [{ hooks: [{ command: COPY }, { type: 'function', name: 'prompt' }] }],
      preToolUse: [
        { matcher: 'guarded', hooks: [{ command: `${COPY}; cat hook-said.txt; cat hook-complained.txt >&2` }] },
        { matcher: 'guarded', hooks: [{ command: 'printf "@hook-named/plain-token=%s" "$PLAIN_TOKEN"; exit 1' }] },
        { matcher: 'denied', hooks: [{ command: 'cat hook-denied.json' }] },
        { matcher: 'refused', hooks: [{ command: 'cat hook-refused.txt >&2; exit 2' }] },
      ],
      postToolUse: [
        { matcher: '*', hooks: [{ command: COPY }] },
        { matcher: 'guarded', hooks: [{ command: 'cat hook-async.txt; echo done > hooked', async: true }] },
        { matcher: 'guarded', hooks: [{ type: 'function', name: 'thrower' }] },
      ],
      stop: [{ hooks: [{ command: COPY }, { type: 'function', name: 'stop' }] }],
      sessionEnd: [{ hooks: [{ command: `${COPY}; cat hook-said.txt` }] }],
    },
    { functions },
  );
  return { hooks, factory: reviveHooks({ functions }) };
}

/** Hooks with a value in them, where the name of the secret would do. */
export function tellingHooks(carrier: Carrier): Hooks {
  return createHooks({ stop: [{ hooks: [{ command: `true ${carrier.one('hook-command', 'prefix-long')}` }] }] });
}

function hookFunctions(carrier: Carrier): Readonly<Record<string, HookFunction>> {
  let stopped = false;
  return {
    prompt: ({ message }) => {
      if (message?.includes('BLOCK ME')) return { decision: 'deny', reason: carrier.all('hook-blocked') };
      return { additionalContext: carrier.all('hook-prompt') };
    },
    thrower: () => {
      throw new Error(carrier.all('hook-thrown'), { cause: new Error(carrier.all('hook-cause')) });
    },
    stop: () => {
      if (stopped) return undefined;
      stopped = true;
      return { decision: 'deny', reason: carrier.all('hook-stop') };
    },
  };
}
