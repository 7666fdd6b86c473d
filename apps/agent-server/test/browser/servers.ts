import { ScriptedAgent, ModelScript } from '@conv/conformance';
import type { Json } from '@conv/core';
import { defineTool, type Tool, type ToolResult } from '@conv/core/tool';
import { z } from 'zod';

import type { Page } from './open-page.ts';
import { ServerUnderTest } from '../server-under-test.ts';
import type {
  PageCall,
  PageProgram,
  PageResult,
  ServerCommands,
  StartedServer,
  StoredScript,
  StoredTool,
} from './bridge.ts';

/** Servers with a key admit pages of this machine. */
const KEY = 'key-of-the-page';

/** Servers for the scripts of a page. The functions of models and tools are called in the page. */
export class Servers {
  readonly #page: Page;
  readonly #running = new Map<string, { readonly server: ServerUnderTest; readonly agent: ScriptedAgent }>();

  constructor(page: Page) {
    this.#page = page;
  }

  /** Carries out a command of the page. */
  readonly command: ServerCommands = async (command, id, script) => {
    if (command === 'start' && script) await this.#start(id, script);
    const { server, agent } = this.#of(id);
    if (command === 'kill') await server.kill();
    if (command === 'restart') {
      // not from what the server has in memory
      await server.stop();
      await server.start();
    }
    if (command === 'dispose') await this.#dispose(id);
    return started(server, agent);
  };

  /** Ends what is left. */
  async close(): Promise<void> {
    for (const id of this.#running.keys()) await this.#dispose(id);
  }

  async #start(id: string, { turns, tools, toolConcurrency }: StoredScript): Promise<void> {
    const asking = turns.map((turn, at) => {
      let answered: Promise<void> = Promise.resolve();
      return {
        ...turn,
        reads: (roles: readonly string[], results: readonly string[]) => {
          answered = this.#page.evaluate(
            ([one, number, first, second]) =>
              (globalThis as unknown as { program: PageProgram }).program.asked(one, number, first, second),
            [id, at, roles, results] as const,
          );
        },
        get after() {
          return answered;
        },
      };
    });
    const agent = new ScriptedAgent({
      script: new ModelScript(asking),
      tools: tools.map((tool) => this.#tool(id, tool)),
      toolConcurrency,
    });
    this.#running.set(id, { server: await ServerUnderTest.start(agent, [KEY]), agent });
  }

  #tool(id: string, { declaresResources, name, description, annotations, inputSchema }: StoredTool): Tool {
    // checks arguments as the tool in the page does
    const input = z.fromJSONSchema(inputSchema) as z.ZodObject;
    const made = defineTool({ name, description, annotations, input, execute: () => '' });
    return {
      ...made,
      inputSchema,
      resources: (input) => (declaresResources ? needsOf(input) : undefined),
      execute: async (input, { signal, conversationId, workingDirectory, toolCallId }) => {
        signal.throwIfAborted();
        const call = crypto.randomUUID();
        const context = { conversationId, workingDirectory, toolCallId };
        const abort = (): void => void this.#abort(id, call);
        signal.addEventListener('abort', abort, { once: true });
        try {
          return resultOf(await this.#execute({ id, call, tool: name, input, context }));
        } finally {
          signal.removeEventListener('abort', abort);
        }
      },
    };
  }

  #execute(call: PageCall): Promise<PageResult> {
    return this.#page.evaluate<PageCall, PageResult>(
      (one) => (globalThis as unknown as { program: PageProgram }).program.execute(one),
      call,
    );
  }

  async #abort(id: string, call: string): Promise<void> {
    await this.#page.evaluate(
      ([one, other]) => (globalThis as unknown as { program: PageProgram }).program.abort(one, other),
      [id, call] as const,
    );
  }

  async #dispose(id: string): Promise<void> {
    await this.#running.get(id)?.server.dispose();
    this.#running.delete(id);
  }

  #of(id: string): { readonly server: ServerUnderTest; readonly agent: ScriptedAgent } {
    const found = this.#running.get(id);
    if (!found) throw new Error(`no server was started for ${id}`);
    return found;
  }
}

function started(server: ServerUnderTest, agent: ScriptedAgent): StartedServer {
  const { host, workingDir } = server.workspace;
  return { host, apiKey: KEY, workingDir, agent: agent.describe() };
}

function resultOf(answer: PageResult): ToolResult {
  if ('error' in answer) throw new Error(answer.error);
  return answer.result;
}

function needsOf(input: Json): readonly string[] {
  const { needs } = input as { readonly needs?: readonly string[] };
  return needs ?? [];
}
