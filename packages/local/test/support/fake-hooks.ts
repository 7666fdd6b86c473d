import {
  keptJson,
  type HookOccasion,
  type HookOutcome,
  type HookRunner,
  type Hooks,
  type HookSession,
  type StoredHooks,
} from '@conv/core';
import { drafts } from '@conv/core/events';

type Said = Partial<HookOutcome>;
type Hook = (occasion: HookOccasion, signal: AbortSignal) => Said | Promise<Said>;

/** Hooks that are functions of the test, one for each moment, and what they were told. */
export class FakeHooks implements Hooks {
  readonly config: StoredHooks;
  readonly told: HookOccasion[] = [];
  session: HookSession | undefined;
  closed = 0;
  readonly #hooks: Partial<Record<HookOccasion['type'], Hook>>;

  constructor(hooks: Partial<Record<HookOccasion['type'], Hook>>, name = 'fake') {
    this.#hooks = hooks;
    this.config = keptJson<'hooks'>(
      Object.fromEntries(Object.keys(hooks).map((type) => [type, [{ hooks: [{ function: name }] }]])),
    );
  }

  start(session: HookSession): HookRunner {
    this.session = session;
    return {
      handles: ({ type }) => this.#hooks[type] !== undefined,
      run: async (occasion, signal) => {
        this.told.push(occasion);
        const said = (await this.#hooks[occasion.type]?.(occasion, signal)) ?? {};
        return {
          events: [ran(occasion, said)],
          blocked: false,
          reason: undefined,
          additionalContext: undefined,
          ...said,
        };
      },
      close: async () => void this.closed++,
    };
  }

  /** The moments that were told, in order. */
  get moments(): string {
    return this.told.map(({ type }) => type).join(' ');
  }
}

/** The run of a hook. */
export function ran(
  { type, toolName }: HookOccasion,
  { blocked = false }: Said = {},
): ReturnType<typeof drafts.hookExecution> {
  const tool = toolName === undefined ? {} : { tool_name: toolName };
  return drafts.hookExecution({
    hook_event_type: type,
    hook_command: 'fake',
    success: true,
    blocked,
    exit_code: 0,
    ...tool,
  });
}
