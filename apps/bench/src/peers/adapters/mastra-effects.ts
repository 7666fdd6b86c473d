import { loadPeer } from '../install.ts';
import { EFFECTS, type Effect, type PeerEffects } from '../peer.ts';

interface Run {
  start(options: { readonly inputData: object }): Promise<Outcome>;
  restart(): Promise<Outcome>;
}
interface Outcome {
  readonly status: string;
}
interface Workflow {
  then(step: unknown): Workflow;
  commit(): Workflow;
  createRun(options: { readonly runId: string }): Promise<Run>;
}

/** The part of Mastra that runs workflows. */
export interface MastraWorkflows {
  readonly Mastra: new (options: {
    readonly storage: unknown;
    readonly logger: false;
    readonly workflows: Readonly<Record<string, Workflow>>;
  }) => { getWorkflow(name: string): Workflow };
  readonly createWorkflow: (options: {
    readonly id: string;
    readonly inputSchema: unknown;
    readonly outputSchema: unknown;
  }) => Workflow;
  readonly createStep: (options: {
    readonly id: string;
    readonly inputSchema: unknown;
    readonly outputSchema: unknown;
    readonly execute: () => Promise<object>;
  }) => unknown;
}
interface Zod {
  readonly z: { object(fields: object): unknown };
}

/** Returns runs of a workflow whose steps are the effects: the result of each is stored before the next begins. */
export function effectsOf(storage: unknown, workflows: MastraWorkflows): PeerEffects {
  const runOf = async (id: string, effect: Effect): Promise<Run> => {
    const { z } = await loadPeer<Zod>('zod');
    const schema = z.object({});
    const options = { inputSchema: schema, outputSchema: schema };
    let workflow = workflows.createWorkflow({ id: 'effects', ...options });
    for (let number = 1; number <= EFFECTS; number++) {
      const execute = async (): Promise<object> => {
        await effect(number);
        return {};
      };
      workflow = workflow.then(workflows.createStep({ id: `effect-${number}`, ...options, execute }));
    }
    const mastra = new workflows.Mastra({ storage, logger: false, workflows: { effects: workflow.commit() } });
    return mastra.getWorkflow('effects').createRun({ runId: id });
  };
  return {
    start: async (id, effect) => void (await (await runOf(id, effect)).start({ inputData: {} })),
    resume: async (id, effect) => {
      const { status } = await (await runOf(id, effect)).restart();
      if (status !== 'success') throw new Error(`expected the workflow to succeed after its restart, found ${status}`);
    },
  };
}
