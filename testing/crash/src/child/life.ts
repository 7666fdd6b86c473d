import { setTimeout as sleep } from 'node:timers/promises';

import { isConversationError } from '@conv/core';
import { eventGuards, isEvent, type Event } from '@conv/core/events';
import { isStoreError, type ConversationStore } from '@conv/core/store';
import { openLocalConversation, type LocalConversation } from '@conv/local';
import { Random } from '@conv/testing-harness';

import type { LifePlan } from '../life-plan.ts';
import { report } from '../report.ts';
import { Activity } from './activity.ts';
import { openPlannedStore } from './open-store.ts';
import { scriptedAgent } from './scripted-agent.ts';
import { witnessTool } from './witness-tool.ts';

/** Milliseconds between attempts to take over. */
const RETRY = 10;

/**
 * A process of a round. Opens the conversation, with a takeover if necessary, and works in it until it has done its actions or is
 * struck.
 */
export class Life {
  readonly #plan: LifePlan;
  readonly #random: Random;
  #conversation: LocalConversation | undefined;

  constructor(plan: LifePlan) {
    this.#plan = plan;
    this.#random = new Random(plan.seed);
  }

  async live(): Promise<void> {
    const { store, close } = await openPlannedStore(this.#plan);
    try {
      const conversation = await this.#open(store);
      report({ kind: 'opened' });
      await new Activity(conversation, this.#random).go(this.#plan.actions);
      await conversation.close();
      await close();
      report({ kind: 'closed' });
    } catch (error) {
      await this.#end(error);
      await close();
    }
  }

  async #open(store: ConversationStore): Promise<LocalConversation> {
    report({ kind: 'opening' });
    const { conversationId: id, life, workspace } = this.#plan;
    const tool = witnessTool(this.#plan);
    const agent = scriptedAgent({ life, random: this.#random, tool, asked: (view) => this.#checkView(view) });
    const runtime = { storeAt: () => store };
    for (;;) {
      try {
        this.#conversation = await openLocalConversation(runtime, { id, store, agent, workspace });
        return this.#conversation;
      } catch (error) {
        // A stopped process may hold a lock of the database, and a request may lose its answer too often.
        if (!isConversationError(error, 'OWNED') && !isStoreError(error, 'UNAVAILABLE')) throw error;
        await sleep(RETRY);
      }
    }
  }

  async #end(error: unknown): Promise<void> {
    if (isConversationError(error, 'FENCED')) report({ kind: 'fenced' });
    else {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      report({ kind: 'violation', counter: 'unopenable', detail });
    }
    await this.#conversation?.close();
  }

  /** A model is asked with a result for every call, and no call of the live branch is left open meanwhile (P5). */
  async #checkView(view: readonly Event[]): Promise<void> {
    const branch = (await this.#conversation?.events.branch()) ?? [];
    for (const [place, events] of Object.entries({ view, branch })) {
      const answered = new Set(events.filter(eventGuards.isObservationLike).map((event) => event.tool_call_id));
      const open = events.filter((event) => isEvent(event, 'ActionEvent') && !answered.has(event.tool_call_id));
      for (const { id } of open) {
        report({
          kind: 'violation',
          counter: 'orphanedCalls',
          detail: `the model is asked while ${id} is open in the ${place}`,
        });
      }
    }
  }
}
