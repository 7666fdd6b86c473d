import { isCi } from '@conv/testing-harness';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { FaultyStore } from '@conv/testing-harness';

import type { LocalConversation } from '../../src/index.ts';
import { open, play } from '../support/bench.ts';
import { allows, POLICIES, riskAnalyzer } from '../support/policies.ts';
import { ScriptedAgent, type Answer, type Script } from '../support/scripted-agent.ts';

/** A step in the life of a conversation that waits or runs. */
type Step =
  | { readonly act: 'approve' | 'reject'; readonly which: readonly number[] }
  | { readonly act: 'policy'; readonly policy: keyof typeof POLICIES }
  | { readonly act: 'navigate'; readonly to: number }
  | { readonly act: 'message' | 'run' | 'interrupt' | 'restart' | 'away' | 'kill' | 'fork' | 'analyzer' | 'budget' };

const which = fc.array(fc.nat(2), { minLength: 1, maxLength: 2 });
const idle: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant('approve' as const), which }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('reject' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('policy' as const),
      policy: fc.constantFrom('always' as const, 'never' as const, 'risky' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('navigate' as const), to: fc.nat(12) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constantFrom(
        'message' as const,
        'interrupt' as const,
        'restart' as const,
        'away' as const,
        'kill' as const,
        'fork' as const,
        'analyzer' as const,
        'budget' as const,
      ),
    }),
  },
);
const step = fc.oneof({ weight: 2, arbitrary: idle }, { weight: 1, arbitrary: fc.constant<Step>({ act: 'run' }) });

const steps = fc.array(step, { minLength: 2, maxLength: 10 });

const answers = fc.array(
  fc.oneof(
    fc.constantFrom<Answer>('done', ['safe']),
    fc.array(fc.constantFrom('safe', 'risky'), { minLength: 1, maxLength: 3 }),
  ),
  { minLength: 1, maxLength: 6 },
);

const during = fc.array(fc.array(idle, { maxLength: 3 }), { maxLength: 8 });

/** Plays a conversation with its forks and processes; records what people said and what tools did. */
class Witness {
  readonly #answers: readonly Answer[];
  readonly #during: (readonly Step[])[];
  readonly #concurrency: number;
  readonly #said = new Map<string, Set<string>>();
  /** Calls approved by name that have not run. While any is open, a run executes these and no others. */
  #named = new Set<string>();
  readonly ran: string[] = [];
  readonly unasked: string[] = [];
  #conversation!: LocalConversation;
  #store!: FaultyStore;
  #asked = 0;
  #acting: Promise<void> = Promise.resolve();

  constructor(said: readonly Answer[], during: readonly (readonly Step[])[], concurrency: number) {
    this.#concurrency = concurrency;
    this.#answers = said;
    this.#during = [...during];
  }

  async live(steps: readonly Step[]): Promise<void> {
    const { conversation, store } = await play(
      this.#script(() => conversation),
      {
        confirmationPolicy: POLICIES.always,
        securityAnalyzer: riskAnalyzer(),
      },
    );
    this.#conversation = conversation;
    this.#store = store;
    await conversation.sendMessage('go');
    await this.#take({ act: 'run' });
    for (const next of steps) {
      await this.#acting;
      await this.#take(next).catch(ignore);
    }
    await this.#acting;
    await this.#conversation.close();
  }

  /** The model and the tools of a conversation, as one process has them. */
  #script(of: () => LocalConversation): Script {
    return {
      concurrency: this.#concurrency,
      resources: () => [],
      think: async () => {
        await this.#meanwhile();
        return this.#answers[this.#asked++ % this.#answers.length] ?? 'done';
      },
      call: async (tool, _signal, { id }) => {
        this.#execute(of(), tool, id);
        await this.#meanwhile();
        return 'ok';
      },
    };
  }

  /** Takes the next steps while the model is asked or a tool runs. */
  async #meanwhile(): Promise<void> {
    const steps = this.#during.shift() ?? [];
    const act = async (): Promise<void> => {
      for (const next of steps) await this.#take(next).catch(ignore);
    };
    this.#acting = this.#acting.then(act);
    await this.#acting;
  }

  /** The tool, which alone knows what ran. A person's word is good for one execution. */
  #execute({ state }: LocalConversation, tool: string, id: string): void {
    this.ran.push(id);
    this.#named.delete(id);
    const approved = this.#said.get(state.id)?.delete(id) ?? false;
    if (!approved && !allows(state.accepted.confirmationPolicy, tool, state.accepted.securityAnalyzer))
      this.unasked.push(id);
  }

  async #take(next: Step): Promise<void> {
    const conversation = this.#conversation;
    const { settings, state } = conversation;
    const named = (numbers: readonly number[]): readonly string[] =>
      numbers.flatMap((number) => state.pendingActions[number % state.pendingActions.length]?.id ?? []);
    switch (next.act) {
      case 'approve': {
        const ids = named(next.which);
        await conversation.approve(ids);
        this.#hear(ids);
        for (const id of ids) this.#named.add(id);
        return;
      }
      case 'reject': {
        const ids = named(next.which);
        await conversation.reject(ids, 'no');
        // who goes back to before the rejection is asked about these calls anew
        for (const id of ids) {
          this.#named.delete(id);
          this.#said.get(state.id)?.delete(id);
        }
        return;
      }
      case 'policy':
        return settings.setConfirmationPolicy(POLICIES[next.policy]);
      case 'analyzer':
        return settings.setSecurityAnalyzer(riskAnalyzer());
      case 'navigate':
        // who goes to another place is asked about what waits there
        this.#named = new Set();
        return conversation.history.navigateTo((await conversation.events.idAt(next.to)) ?? null);
      case 'message':
        return void (await conversation.sendMessage('and this'));
      case 'interrupt':
        return conversation.interrupt();
      case 'run':
        return this.#run();
      case 'budget':
        return settings.setLimits({ maxBudgetPerRun: state.maxBudgetPerRun === null ? 0.02 : null });
      case 'restart':
      case 'away':
        await conversation.close();
        return this.#open(state.id, next.act === 'away');
      case 'kill':
      case 'fork':
        return this.#copy(next.act === 'kill');
    }
  }

  /** A person who was asked, has named nothing and runs it, approves what waits. */
  async #run(): Promise<void> {
    const { state } = this.#conversation;
    const waiting = state.pendingActions.map(({ id }) => id);
    const isNamed = waiting.some((id) => this.#named.has(id));
    if (state.executionStatus === 'waiting_for_confirmation' && !isNamed && state.queue.length === 0)
      this.#hear(waiting);
    await this.#conversation.run({ maxIterations: 4 });
  }

  /** A fork; or what a new process finds of a conversation whose process died, which is a copy of what is stored. */
  async #copy(dies: boolean): Promise<void> {
    const { id, history } = this.#conversation;
    const copy = dies ? crypto.randomUUID() : await history.fork();
    if (dies) {
      await this.#store.fork(id, copy, { patch: { set: { id: copy } } });
      this.#said.set(copy, new Set(this.#said.get(id)));
    }
    await this.#conversation.close();
    // what was approved for a run that died with its process, or in another conversation, is to be said again
    this.#named = new Set();
    await this.#open(copy);
  }

  /** `away`: its tools cannot be made the first time, so that its first run fails. */
  async #open(id: string, away = false): Promise<void> {
    let isAway = away;
    const start = (): void => {
      if (!isAway) return;
      isAway = false;
      throw new Error('the tools are away');
    };
    const agent = new ScriptedAgent({ ...this.#script(() => opened), start });
    const opened = await open(this.#store, { id, agent }, { analyzers: () => riskAnalyzer() });
    this.#conversation = opened;
  }

  #hear(ids: readonly string[]): void {
    const { id } = this.#conversation;
    this.#said.set(id, new Set([...(this.#said.get(id) ?? []), ...ids]));
  }
}

function ignore(): void {}

/** CI lives a third of them. */
const RUNS = isCi ? 500 : 1500;

test('P10: no action runs without approval by a person or permission by the policy, whatever people do', async () => {
  let ran = 0;
  await fc.assert(
    fc.asyncProperty(answers, during, steps, fc.constantFrom(1, 3), async (said, acts, taken, concurrency) => {
      const witness = new Witness(said, acts, concurrency);
      await witness.live(taken);
      ran += witness.ran.length;
      expect(witness.unasked).toEqual([]);
    }),
    { numRuns: RUNS },
  );
  expect(ran).toBeGreaterThan(RUNS / 2);
});
