import { defineTool, type Tool } from '@conv/core/tool';
import { z } from 'zod';

/** A tool whose calls wait until a test lets them go on, or are interrupted. */
export interface WaitingTool {
  readonly tool: Tool;
  /** Resolves when a call has begun. */
  readonly begun: Promise<void>;
  readonly release: () => void;
}

/** Makes a {@link WaitingTool} named `wait`. */
export function waitingTool(): WaitingTool {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const tool = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({}),
    execute: async (_input, { signal }) => {
      begun.resolve();
      const interrupted = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
      );
      await Promise.race([released.promise, interrupted]);
      return 'waited';
    },
  });
  return { tool, begun: begun.promise, release: released.resolve };
}

/** A tool named `echo` that returns its input. */
export const echoTool: Tool = defineTool({
  name: 'echo',
  description: 'Answers what it is given.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
