import { z } from 'zod';

import { defineTool, type Tool } from '@conv/core/tool';

/** A tool whose calls end when the test lets them end. */
export interface WaitingTool {
  readonly tool: Tool;
  /** Resolves when the first call has started. */
  readonly started: Promise<void>;
  /** Lets every call end, also those to come. */
  readonly release: () => void;
  /** Returns the number of calls that have started. */
  readonly calls: () => number;
}

/** Makes a tool named `wait`. Calls of a `stubborn` tool continue when they are aborted. */
export function waitingTool({ stubborn = false }: { stubborn?: boolean } = {}): WaitingTool {
  const start = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  let calls = 0;
  const tool = defineTool({
    name: 'wait',
    description: 'Waits until it is told to end.',
    input: z.object({ note: z.string().default('') }),
    execute: async (_, { signal }) => {
      calls++;
      start.resolve();
      if (!stubborn) signal.addEventListener('abort', () => end.reject(signal.reason), { once: true });
      await end.promise;
      return 'waited';
    },
  });
  // a call that was aborted is not an unhandled rejection
  end.promise.catch(() => {});
  return { tool, started: start.promise, release: () => end.resolve(), calls: () => calls };
}
