import type { Agent, AgentFactory, JsonObject } from '@conv/core';
import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import type { Tool } from '@conv/core/tool';

/** Agents that answer by a script, described as clients described them. Their `llm.model` names the script. */
export class ScriptedAgents implements AgentFactory {
  readonly #scripts: ReadonlyMap<string, ModelScript>;
  readonly #tools: readonly Tool[];

  constructor(scripts: Readonly<Record<string, readonly ModelTurn[]>>, tools: readonly Tool[] = []) {
    this.#scripts = new Map(Object.entries(scripts).map(([name, turns]) => [name, new ModelScript(turns)]));
    this.#tools = tools;
  }

  /** Returns the number of requests that the model of a script got. */
  requests(name = 'scripted'): number {
    return this.#scripts.get(name)?.requests ?? 0;
  }

  async revive(description: JsonObject): Promise<Agent | undefined> {
    if (description['kind'] !== 'Agent') return undefined;
    const { model } = description['llm'] as { readonly model?: string };
    const script = this.#scripts.get(model ?? '');
    if (!script) throw new Error(`there is no script ${JSON.stringify(model)}`);
    const agent = new ScriptedAgent({ script, tools: this.#tools });
    return Object.assign(agent, { describe: () => description });
  }
}
