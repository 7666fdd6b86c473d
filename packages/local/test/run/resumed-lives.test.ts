import fc from 'fast-check';
import { expect, test } from 'vitest';

import { projections, type StateFields } from '@conv/core';
import { eventGuards, isEvent } from '@conv/core/events';
import { KillableStore } from '@conv/testing-harness';

import { openLocalConversation, type LocalConversation } from '../../src/index.ts';
import { freshFolder, never } from '../support/bench.ts';
import { allows, POLICIES, riskAnalyzer } from '../support/policies.ts';
import { ScriptedAgent, type Answer, type Script } from '../support/scripted-agent.ts';

/** A step of people, servers and crashes. */
type Step =
  | { readonly act: 'approve' | 'reject'; readonly which: readonly number[] }
  | { readonly act: 'policy'; readonly policy: keyof typeof POLICIES }
  | { readonly act: (typeof PLAIN)[number] }
  | { readonly act: 'kill' | 'close' | 'leave' | 'leaveSlowly'; readonly next: 'resume' | 'pause' };

const PLAIN = ['resumeRun', 'run', 'schedule', 'cancel', 'message', 'pause', 'interrupt'] as const;

const ENDS_RUNS: ReadonlySet<Step['act']> = new Set<Step['act']>(['interrupt', 'close', 'leave', 'leaveSlowly']);

const which = fc.array(fc.nat(2), { minLength: 1, maxLength: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('approve' as const, 'reject' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('policy' as const),
      policy: fc.constantFrom('always' as const, 'never' as const, 'risky' as const),
    }),
  },
  { weight: 8, arbitrary: fc.record({ act: fc.constantFrom(...PLAIN) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constantFrom('kill' as const, 'close' as const, 'leave' as const, 'leaveSlowly' as const),
      next: fc.constantFrom('resume' as const, 'resume' as const, 'pause' as const),
    }),
  },
);

const answers = fc.array(
  fc.oneof(
    fc.constantFrom<Answer>('done', ['safe']),
    fc.array(fc.constantFrom('safe', 'risky'), { minLength: 1, maxLength: 3 }),
  ),
  { minLength: 1, maxLength: 6 },
);

const during = fc.array(fc.array(step, { maxLength: 2 }), { maxLength: 8 });

/** Plays a conversation whose processes hold it one after the other; records what people said and what tools did. */
class Witness {
  readonly store = new KillableStore();
  readonly ran: string[] = [];
  /** Calls that ran without the permission of a person or the policy. */
  readonly unasked: string[] = [];
  readonly #id = crypto.randomUUID();
  readonly #answers: readonly Answer[];
  readonly #during: (readonly Step[])[];
  readonly #concurrency: number;
  readonly #folder = freshFolder();
  /** The word of a person holds for one execution, and for the process that works when it was said. */
  readonly #said = new Set<string>();
  readonly #rejected = new Set<string>();
  /** Calls that a person was asked about and left open; a policy that is set later does not decide them. */
  readonly #shown = new Set<string>();
  #conversation!: LocalConversation;
  /** Resolves when the process does not hold the conversation any more. */
  #gone = Promise.withResolvers<void>();
  /** Option of the next process for interrupted runs, once there is a next process. */
  #next: 'resume' | 'pause' | undefined;
  #isOver = false;
  #asked = 0;

  constructor(said: readonly Answer[], acts: readonly (readonly Step[])[], concurrency: number) {
    this.#answers = said;
    this.#during = [...acts];
    this.#concurrency = concurrency;
  }

  async live(steps: readonly Step[]): Promise<void> {
    await this.#reopen();
    await this.#conversation.sendMessage('go');
    for (const next of [{ act: 'run' } as const, ...steps]) {
      if (this.#next) await this.#gone.promise.then(() => this.#reopen());
      await Promise.race([this.#take(next), this.#gone.promise]);
    }
  }

  /** Lets the last process bring the conversation to its end, whatever became of it. */
  async end(): Promise<LocalConversation> {
    this.#isOver = true;
    await this.store.kill();
    this.#next = 'resume';
    await this.#reopen();
    const conversation = this.#conversation;
    await conversation.resumeRun();
    await conversation.settings.setConfirmationPolicy(POLICIES.never);
    for (let time = 0; time < 3; time++) {
      this.#hear(conversation.state.pendingActions.map(({ id }) => id));
      await conversation.approve();
      await conversation.run();
    }
    return conversation;
  }

  async stored(): Promise<StateFields> {
    const reader = await this.store.read(this.#id);
    if (!reader) throw new Error('nothing is stored');
    return (await projections.readState(reader)).fields;
  }

  async #reopen(): Promise<void> {
    const interruptedRun = this.#next ?? 'resume';
    this.#next = undefined;
    this.#gone = Promise.withResolvers();
    // what was approved for a run that ended with its process is to be said again
    const reader = await this.store.read(this.#id);
    if (reader && (await projections.readState(reader)).fields.executionStatus === 'running') this.#said.clear();
    const gone = this.#gone.promise;
    const agent = new ScriptedAgent(this.#script(() => conversation, gone));
    const made = { workspace: this.#folder, confirmationPolicy: POLICIES.always, securityAnalyzer: riskAnalyzer() };
    const conversation = await openLocalConversation(
      { storeAt: () => this.store, analyzers: () => riskAnalyzer() },
      { id: this.#id, store: this.store, agent, interruptedRun, subscriberGrace: 5, ...(reader ? {} : made) },
    );
    this.#conversation = conversation;
    this.#look(conversation);
    conversation.subscribe({ onStateChange: () => this.#look(conversation) });
  }

  #look({ state }: LocalConversation): void {
    if (state.executionStatus !== 'waiting_for_confirmation') return;
    for (const { id } of state.pendingActions) if (!this.#said.has(id)) this.#shown.add(id);
  }

  #script(of: () => LocalConversation, gone: Promise<void>): Script {
    return {
      concurrency: this.#concurrency,
      resources: () => [],
      think: async () => {
        await this.#meanwhile(gone);
        return this.#isOver ? 'done' : (this.#answers[this.#asked++ % this.#answers.length] ?? 'done');
      },
      call: async (tool, _signal, { id }) => {
        this.#execute(of(), tool, id);
        await this.#meanwhile(gone);
        return 'ok';
      },
    };
  }

  /** Things happen while the model is asked or a tool runs; of a process that is gone nothing comes back. */
  async #meanwhile(gone: Promise<void>): Promise<void> {
    const steps = this.#isOver ? [] : (this.#during.shift() ?? []);
    const act = async (): Promise<'acted'> => {
      for (const next of steps) {
        if (this.#gone.promise !== gone) break;
        // waiting for the run inside of it would be waiting for itself
        const taken = this.#take(next);
        if (!ENDS_RUNS.has(next.act)) await taken;
      }
      return 'acted';
    };
    const outcome = await Promise.race([act(), gone]);
    if (outcome !== 'acted') await never();
  }

  /** The tool, which alone knows what ran. */
  #execute({ state }: LocalConversation, tool: string, id: string): void {
    this.ran.push(id);
    const approved = this.#said.delete(id) && !this.#rejected.has(id);
    const { confirmationPolicy, securityAnalyzer } = state.accepted;
    const isAllowed = allows(confirmationPolicy, tool, securityAnalyzer) && !this.#shown.has(id);
    if (!approved && !isAllowed) this.unasked.push(id);
  }

  async #take(next: Step): Promise<void> {
    if (this.#next) return;
    const conversation = this.#conversation;
    const { settings, state } = conversation;
    const named = (numbers: readonly number[]): readonly string[] =>
      numbers.flatMap((number) => state.pendingActions[number % state.pendingActions.length]?.id ?? []);
    switch (next.act) {
      case 'approve': {
        const ids = named(next.which);
        const heard = ids.filter((id) => !this.#said.has(id));
        this.#hear(heard);
        return conversation.approve(ids).catch(() => heard.forEach((id) => this.#said.delete(id)));
      }
      case 'reject': {
        const ids = named(next.which);
        return conversation.reject(ids).then(() => ids.forEach((id) => this.#rejected.add(id)), ignore);
      }
      case 'policy':
        return settings.setConfirmationPolicy(POLICIES[next.policy]).catch(ignore);
      case 'message':
        return conversation.sendMessage('and this').then(ignore, ignore);
      case 'run':
        return this.#run();
      case 'resumeRun':
        return conversation.resumeRun({ maxIterations: 8 }).then(ignore, ignore);
      case 'schedule':
        return conversation.scheduleRun().then(ignore, ignore);
      case 'cancel':
        return conversation.cancelScheduledRun().catch(ignore);
      case 'pause':
        return conversation.pause().catch(ignore);
      case 'interrupt':
        return conversation.interrupt().catch(ignore);
      case 'kill':
        this.#next = next.next;
        await this.store.kill();
        return this.#gone.resolve();
      case 'close':
      case 'leave':
      case 'leaveSlowly':
        return this.#close(conversation, next.act, next.next);
    }
  }

  async #close(
    conversation: LocalConversation,
    act: 'close' | 'leave' | 'leaveSlowly',
    next: 'resume' | 'pause',
  ): Promise<void> {
    const gone = this.#gone;
    const runs = act === 'close' ? 'interrupt' : 'leave';
    await conversation.close({ runs, grace: act === 'leaveSlowly' ? 2 ** 40 : 0 }).catch(ignore);
    if (gone !== this.#gone) return;
    this.#next ??= next;
    gone.resolve();
  }

  /** A person who has named nothing and runs what is at rest approves what waits. */
  async #run(): Promise<void> {
    const { state } = this.#conversation;
    const waiting = state.pendingActions.map(({ id }) => id);
    const isNamed = waiting.some((id) => this.#said.has(id));
    if (state.executionStatus !== 'running' && !isNamed && state.queue.length === 0) this.#hear(waiting);
    await this.#conversation.run({ maxIterations: 4 }).catch(ignore);
  }

  #hear(ids: readonly string[]): void {
    for (const id of ids) {
      this.#said.add(id);
      this.#shown.delete(id);
    }
  }
}

function ignore(): void {}

test(
  'P5, P10: a run executes nothing unasked or twice, whatever process resumes it, and ends at rest',
  { timeout: 120_000 },
  async () => {
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(
        answers,
        during,
        fc.array(step, { minLength: 2, maxLength: 10 }),
        fc.constantFrom(1, 3),
        async (said, acts, steps, concurrency) => {
          const witness = new Witness(said, acts, concurrency);
          await witness.live(steps);
          const conversation = await witness.end();
          ran += witness.ran.length;
          expect(witness.unasked).toEqual([]);
          expect(new Set(witness.ran).size).toBe(witness.ran.length);
          const { state } = conversation;
          expect([state.executionStatus, state.pendingActions, state.queue]).toEqual(['finished', [], []]);
          const events = await conversation.events.slice();
          const calls = events.filter((event) => isEvent(event, 'ActionEvent')).map((event) => event.tool_call_id);
          const results = events.filter(eventGuards.isObservationLike).map((event) => event.tool_call_id);
          expect(results.toSorted()).toEqual(calls.toSorted());
          await conversation.close();
        },
      ),
      { numRuns: 250 },
    );
    expect(ran).toBeGreaterThan(100);
  },
);
