import { z } from 'zod';

import { defineTool, type Tool } from '@conv/core/tool';
import type { ScriptedCall } from './model-script.ts';

/** A tool whose calls have names and end when the test releases them. */
export interface MeetingTool {
  readonly tool: Tool;
  /** Resolves when the call with this name has begun. */
  readonly begun: (name: string) => Promise<void>;
  /** Lets the call with this name end, even when it has not begun yet. */
  readonly release: (...names: readonly string[]) => void;
  /** Names in the order in which their calls began. */
  readonly names: readonly string[];
  /** Returns the highest number of calls that ran at the same time. */
  readonly most: () => number;
}

/** Makes a tool named `meet`. Calls of a tool that is `stubborn` continue when they are aborted. */
export function meetingTool({ stubborn = false }: { stubborn?: boolean } = {}): MeetingTool {
  const starts = new Promises();
  const ends = new Promises();
  const names: string[] = [];
  let [running, most] = [0, 0];
  const tool = defineTool({
    name: 'meet',
    description: 'Begins, and ends when the call that it waits for has begun, or when it is told to.',
    input: z.object({ name: z.string(), other: z.string().optional(), needs: z.array(z.string()).default([]) }),
    resources: ({ needs }) => needs,
    execute: async ({ name, other }, { signal }) => {
      names.push(name);
      most = Math.max(most, ++running);
      starts.of(name).resolve();
      const aborted = new Promise<never>((_, reject) => {
        if (!stubborn) signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      try {
        await Promise.race([other === undefined ? ends.of(name).promise : starts.of(other).promise, aborted]);
      } finally {
        running--;
      }
      return `<met ${name}>`;
    },
  });
  return {
    tool,
    begun: (name) => starts.of(name).promise,
    release: (...released) => released.forEach((name) => ends.of(name).resolve()),
    names,
    most: () => most,
  };
}

/** Returns a call of a {@link MeetingTool}. It ends when the call `other` begins; without `other`, when released. */
export function meet(
  name: string,
  also: { readonly other?: string; readonly needs?: readonly string[] } = {},
): ScriptedCall {
  return { name: 'meet', arguments: { name, ...also } };
}

/** Returns the name of the call that a result is of, found in the text of the result. */
export function nameIn(result: string): string | undefined {
  return /<met (.+?)>/.exec(result)?.[1];
}

class Promises {
  readonly #made = new Map<string, PromiseWithResolvers<void>>();

  of(name: string): PromiseWithResolvers<void> {
    const made = this.#made.get(name) ?? Promise.withResolvers<void>();
    this.#made.set(name, made);
    return made;
  }
}
