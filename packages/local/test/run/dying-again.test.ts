import { describe, expect, test } from 'vitest';

import { eventGuards, isEvent } from '@conv/core/events';

import { openLocalConversation, type LocalConversation } from '../../src/index.ts';
import { freshFolder } from '../support/bench.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { MortalStore } from '../support/mortal-store.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

/** Processes that could take it up and did not bring it to an end. */
const TOO_MANY = 60;

/** Conversation whose processes die one after the other. */
class Family {
  readonly store = new MortalStore();
  readonly begun: string[] = [];
  /** The number of questions whether it may end. */
  asked = 0;
  readonly #id = crypto.randomUUID();
  readonly #workspace = freshFolder();
  readonly #concurrency: number;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** A process that dies at its n-th commit: whether it brought the conversation to rest before. */
  async live(commits: number): Promise<boolean> {
    this.store.live(commits);
    const work = async (): Promise<true> => {
      const conversation = await this.open();
      if (conversation.events.length === 0) await conversation.sendMessage('go');
      if (conversation.state.executionStatus === 'idle') await conversation.run();
      await conversation.resumeRun();
      await conversation.close();
      return true;
    };
    return (await Promise.race([work(), this.store.died])) === true;
  }

  open(): Promise<LocalConversation> {
    return openLocalConversation(
      { storeAt: () => this.store },
      {
        id: this.#id,
        store: this.store,
        agent: this.#agent(),
        workspace: this.#workspace,
        hooks: new FakeHooks({ Stop: () => (this.asked++ === 0 ? { blocked: true, reason: 'more' } : {}) }),
        interruptedRun: 'resume',
        subscriberGrace: 5,
      },
    );
  }

  #agent(): ScriptedAgent {
    return new ScriptedAgent({
      // it goes by what is on record: a model knows nothing of processes
      think: ({ view }) =>
        view.filter((event) => isEvent(event, 'ActionEvent')).length < 5 ? ['work', 'work'] : 'done',
      concurrency: this.#concurrency,
      resources: () => [],
      call: (_tool, _signal, { tool_call_id: call }) => void this.begun.push(call),
    });
  }
}

describe.each([1, 2])('every process dies at its n-th commit, with %i call at a time', (concurrency) => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'P4, P5: a conversation dying at %d ends or is given up; each call has one result and begins once',
    async (commits) => {
      const family = new Family(concurrency);
      let processes = 1;
      while (!(await family.live(commits))) expect(++processes).toBeLessThan(TOO_MANY);
      family.store.live(Infinity);
      const conversation = await family.open();
      const { executionStatus: status, pendingActions } = conversation.state;
      const events = await conversation.events.slice();
      const lost = events.flatMap((event) => (isEvent(event, 'ConversationErrorEvent') ? [event.code] : []));
      // with room for a step and its calls in each life the run gets further
      const isLost = commits <= 5 && events.at(-1)?.kind === 'ConversationErrorEvent';
      expect([status, isLost || pendingActions.length]).toEqual(isLost ? ['error', true] : ['finished', 0]);
      expect(lost).toEqual(isLost ? ['RunLost'] : []);
      const calls = events.filter((event) => isEvent(event, 'ActionEvent')).map((event) => event.tool_call_id);
      const results = events.filter(eventGuards.isObservationLike).map((event) => event.tool_call_id);
      expect(new Set(results).size).toBe(results.length);
      for (const call of family.begun) expect(results).toContain(call);
      expect(calls).toEqual(expect.arrayContaining(results));
      expect(new Set(family.begun).size).toBe(family.begun.length);
      expect((await conversation.run()).status).toBe('finished');
      expect(new Set(family.begun).size).toBe(family.begun.length);
      await conversation.close();
    },
  );
});
