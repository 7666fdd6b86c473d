import type { ProvidedTools, Tool, ToolProvider } from '@conv/core/tool';

/** A provider whose list is changed by hand. */
export interface ScriptedProvider extends ToolProvider {
  /** Gives all conversations this list and says so. */
  readonly exchange: (tools: readonly Tool[]) => void;
  readonly log: readonly string[];
  /** The taken names that it was given in the last conversation. */
  readonly taken: ReadonlySet<string> | undefined;
}

/** The tools of a scripted provider, and its failures. */
export interface ScriptedProviderOptions extends Partial<Pick<ToolProvider, 'name' | 'description' | 'secretValues'>> {
  readonly tools?: readonly Tool[];
  /** Called before the tools are provided. */
  readonly before?: (signal: AbortSignal) => Promise<void>;
}

export function scriptedProvider(options: ScriptedProviderOptions = {}): ScriptedProvider {
  const { name = 'scripted servers', description = {}, secretValues, before } = options;
  const log: string[] = [];
  const listeners = new Set<() => void>();
  let tools = options.tools ?? [];
  let told: ReadonlySet<string> | undefined;
  return {
    get taken() {
      return told;
    },
    name,
    description,
    ...(secretValues ? { secretValues } : {}),
    log,
    exchange: (next) => {
      tools = next;
      for (const changed of listeners) changed();
    },
    provide: async (_session, { changed, signal, taken }): Promise<ProvidedTools> => {
      told = taken;
      signal.addEventListener('abort', () => log.push('told to stop'));
      await before?.(signal);
      listeners.add(changed);
      return {
        get tools() {
          return tools;
        },
        close: async () => void log.push('closed'),
      };
    },
  };
}
