import type { Agent, AgentFactory, JsonObject } from '@conv/core';
import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import { defineTool, type Tool } from '@conv/core/tool';
import { z } from 'zod';

/** Lets calls of the tool `wait` end. */
export class Gate {
  readonly #open = Promise.withResolvers<void>();
  /** The number of calls that have begun. */
  begun = 0;

  open(): void {
    this.#open.resolve();
  }

  /** Its calls wait until it is open, or are interrupted. */
  get tool(): Tool {
    return defineTool({
      name: 'wait',
      description: 'Waits.',
      input: z.object({}),
      execute: async (_input, { signal }) => {
        this.begun++;
        const interrupted = new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        );
        await Promise.race([this.#open.promise, interrupted]);
        return 'waited';
      },
    });
  }
}

/** A model that answers by what it reads, whichever process asks it. */
class ReadingScript extends ModelScript {
  readonly #answer: (roles: readonly string[]) => ModelTurn;

  constructor(answer: (roles: readonly string[]) => ModelTurn) {
    super([]);
    this.#answer = answer;
  }

  override async next(signal: AbortSignal, roles: readonly string[]): Promise<ModelTurn> {
    signal.throwIfAborted();
    return this.#answer(roles);
  }
}

const says: ModelTurn = { text: 'Yes.' };
const waits: ModelTurn = { calls: [{ name: 'wait', arguments: {} }] };

const models: Readonly<Record<string, (roles: readonly string[]) => ModelTurn>> = {
  /** Answers. */
  says: () => says,
  /** Calls `wait` for each message, and then answers. */
  works: (roles) => (roles.at(-1) === 'tool' ? says : waits),
};

/** Agents by the name of their model: `says` or `works`. */
export function workers(gate: Gate): AgentFactory {
  return {
    revive: async (description: JsonObject): Promise<Agent | undefined> => {
      const answer = models[(description['llm'] as { readonly model: string }).model];
      if (!answer) throw new Error('there is no such model');
      const agent = new ScriptedAgent({ script: new ReadingScript(answer), tools: [gate.tool] });
      return Object.assign(agent, { describe: () => description });
    },
  };
}

/** Returns the request for a conversation with this model. */
export function newConversation(model: 'says' | 'works', workingDir: string, more: JsonObject = {}): JsonObject {
  return {
    agent: { kind: 'Agent', llm: { model }, tools: [] },
    workspace: { kind: 'LocalWorkspace', working_dir: workingDir },
    ...more,
  };
}
