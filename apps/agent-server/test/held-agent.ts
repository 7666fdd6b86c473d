import { ModelScript, ScriptedAgent } from '@conv/conformance';
import type { Agent } from '@conv/core';
import { defineTool, text } from '@conv/core/tool';
import { z } from 'zod';

import { calls } from './chat-api.ts';

/** An agent whose call is held. */
export interface HeldAgent {
  readonly agent: Agent;
  /** Resolves when the tool works. */
  readonly begun: Promise<void>;
  /** Lets the tool answer; the agent then says `Done.` */
  readonly goOn: () => void;
}

/** Returns an agent that calls a tool, which works until `goOn`. */
export function heldAgent(): HeldAgent {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const echo = defineTool({
    name: 'echo',
    description: 'Says it again.',
    input: z.object({ words: z.string() }),
    execute: async ({ words }) => {
      begun.resolve();
      await held.promise;
      return text(words);
    },
  });
  const script = new ModelScript([calls('one'), { text: 'Done.' }]);
  return {
    agent: new ScriptedAgent({ script, tools: [echo] }),
    begun: begun.promise,
    goOn: () => held.resolve(),
  };
}
