import { EFFECTS, type Effect, type PeerEffects, type PeerRuns } from '../peer.ts';
import type { Checkpointer, Config, Loaded, Runnable } from './langgraph-types.ts';

/** Graph of an agent in a thread. */
export interface AgentGraph {
  readonly loaded: Loaded;
  readonly schema: unknown;
  readonly checkpointer: Checkpointer;
  readonly config: Config;
}

/** Returns runs of a graph with a node for the model and one for the tool, neither of which takes time. */
export function runsOf({ loaded, schema, checkpointer, config }: AgentGraph, calls: number): PeerRuns {
  const { peer, messages } = loaded;
  let done = 0;
  let isCalling = true;
  const model = (): object => {
    isCalling = done < calls;
    if (!isCalling) return { messages: [new messages.AIMessage({ content: 'done' })] };
    const id = `call_${done}`;
    return { messages: [new messages.AIMessage({ content: '', tool_calls: [{ id, name: 'noop', args: {} }] })] };
  };
  const tool = (): object => {
    const id = `call_${done++}`;
    return { messages: [new messages.ToolMessage({ content: 'done', tool_call_id: id })] };
  };
  const graph = new peer.StateGraph(schema)
    .addNode('model', model)
    .addNode('tool', tool)
    .addEdge(peer.START, 'model')
    .addConditionalEdges('model', () => (isCalling ? 'tool' : peer.END))
    .addEdge('tool', 'model')
    .compile({ checkpointer });
  return {
    run: async () => {
      done = 0;
      const input = { messages: [new messages.HumanMessage('go on')] };
      await graph.invoke(input, { ...config, recursionLimit: calls * 2 + 5 });
    },
    close: async () => {},
  };
}

/** Returns runs of a flow whose effects are tasks, which are not repeated once their results are stored. */
export function effectsOf({
  loaded: { peer },
  checkpointer,
  configOf,
}: Pick<AgentGraph, 'loaded' | 'checkpointer'> & { readonly configOf: (id: string) => Config }): PeerEffects {
  const flowWith = (effect: Effect): Runnable => {
    const one = peer.task('effect', async (number) => {
      await effect(number);
      return number;
    });
    return peer.entrypoint({ name: 'effects', checkpointer }, async () => {
      for (let number = 1; number <= EFFECTS; number++) await one(number);
      return 'done';
    });
  };
  const configured = (id: string): object => ({ ...configOf(id), durability: 'sync' });
  return {
    start: async (id, effect) => void (await flowWith(effect).invoke('go on', configured(id))),
    // without an input the flow goes on with what is stored
    resume: async (id, effect) => void (await flowWith(effect).invoke(null, configured(id))),
  };
}
