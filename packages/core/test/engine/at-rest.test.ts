import fc from 'fast-check';
import { expect, test } from 'vitest';

import { agentMessage, userMessage, type ActionEvent } from '../../src/events/index.ts';
import { agentError, observation, userReject } from '../../src/events/tool-call-drafts.ts';
import { conversationError, interrupt, pause, systemPrompt } from '../../src/events/conversation-drafts.ts';
import { environmentMessage } from '../../src/events/message-drafts.ts';
import { isFinishCall } from '../../src/events/finish.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { STUCK_CODE } from '../../src/engine/fold/status.ts';
import { call, callRecord } from './random-history.ts';

/** The course of a run: its responses, and the end of it if that is not a response. */
const runs = fc.record({
  message: fc.boolean(),
  responses: fc.array(
    fc.oneof(
      fc.record({
        calls: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
        approve: fc.constantFrom('run', 'wait', 'reject'),
      }),
      fc.constant('empty' as const),
    ),
    { maxLength: 4 },
  ),
  end: fc.constantFrom('answer', 'finish', 'pause', 'interrupt', 'limit', 'stuck', 'failure'),
});

type Response = { readonly calls: readonly boolean[]; readonly approve: string } | 'empty';

class Driver {
  readonly state = new ConversationState();
  #counter = 0;

  /** Plays a run as a runtime does; `check` is called whenever the conversation is at rest. */
  async run(
    plan: { message: boolean; responses: readonly Response[]; end: string },
    check: () => Promise<void>,
  ): Promise<void> {
    if (this.state.events.length === 0) await this.state.append([systemPrompt('p', [])]);
    if (plan.message) await this.state.append([userMessage('go')]);
    await check();
    await this.#begin();
    for (const response of plan.responses) await this.#respond(response, check);
    await this.#end(plan.end);
    await check();
  }

  #begin(): Promise<void> {
    const calls = Object.fromEntries(this.state.pendingActions.map(({ id }) => [id, 'approved' as const]));
    return this.state.update({ set: { executionStatus: 'running' }, add: { calls } });
  }

  async #respond(response: Response, check: () => Promise<void>): Promise<void> {
    const id = `response-${++this.#counter}`;
    const options = { records: [callRecord(this.#counter)] };
    if (response === 'empty') {
      await this.state.append(
        [agentMessage({ content: [], llm_response_id: id }), environmentMessage('go on')],
        options,
      );
      return;
    }
    const drafts = response.calls.map((executable, at) => call(`${id}-${at}`, id, executable));
    const errors = response.calls.flatMap((executable, at) =>
      executable ? [] : [agentError({ tool_name: 'lookup', tool_call_id: `call-${id}-${at}` }, 'invalid')],
    );
    const waits = response.approve !== 'run' && response.calls.includes(true);
    const patch = waits ? { patch: { set: { executionStatus: 'waiting_for_confirmation' as const } } } : {};
    await this.state.append([...drafts, ...errors], { ...options, ...patch });
    if (waits) await check();
    if (waits && response.approve === 'reject') {
      await this.state.append(this.state.pendingActions.map((action) => userReject(action)));
      await check();
    }
    if (waits) await this.#begin();
    for (const action of this.state.pendingActions) await this.#result(action);
  }

  async #result(action: ActionEvent): Promise<void> {
    await this.state.update({ add: { calls: { [action.id]: 'started' } } });
    const isFinish = isFinishCall(action);
    await this.state.append([
      observation(
        action,
        isFinish
          ? { kind: 'FinishObservation', content: [] }
          : { kind: 'MCPToolObservation', content: [], tool_name: action.tool_name },
      ),
    ]);
  }

  async #end(end: string): Promise<void> {
    const id = `response-${++this.#counter}`;
    if (end === 'answer') await this.state.append([agentMessage({ content: 'done', llm_response_id: id })]);
    else if (end === 'pause') await this.state.append([pause()]);
    else if (end === 'interrupt') await this.state.append([interrupt()]);
    else if (end === 'finish') await this.#finish(id);
    else
      await this.state.append([
        conversationError(end === 'stuck' ? STUCK_CODE : end === 'limit' ? 'MaxIterationsReached' : 'Error', 'd', {
          kind: 'unknown',
          retryable: false,
        }),
      ]);
  }

  async #finish(id: string): Promise<void> {
    const draft = { ...call(id, id), tool_name: 'finish', action: { message: id, kind: 'FinishAction' } } as never;
    await this.state.append([draft]);
    for (const action of this.state.pendingActions) await this.#result(action);
  }
}

test(
  'P6: the events alone give the state of the commits at rest, except for what no event says',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(runs, { minLength: 1, maxLength: 4 }), async (plans) => {
        const driver = new Driver();
        const check = async (): Promise<void> => {
          const alone = new ConversationState();
          const events = await driver.state.events.slice();
          if (events.length > 0) await alone.append(events as never);
          const { stats: _stats, calls: _calls, ...fields } = driver.state.fields;
          const { stats: _none, calls: _no, ...derived } = alone.fields;
          expect(derived).toEqual(fields);
          expect(alone.pendingActions).toEqual(driver.state.pendingActions);
          expect([alone.iteration, alone.taskList]).toEqual([driver.state.iteration, driver.state.taskList]);
          expect(await alone.modelView()).toEqual(await driver.state.modelView());
          expect(await alone.conversationHistory()).toEqual(await driver.state.conversationHistory());
        };
        for (const plan of plans) await driver.run(plan, check);
      }),
      { numRuns: 100 },
    );
  },
);
