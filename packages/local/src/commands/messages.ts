import type { SentMessage, Transaction } from '@conv/core';
import type { Event, EventDraft, EventDraftOfKind } from '@conv/core/events';

import { supersede } from '../rules/approvals.ts';
import type { CommandDeps } from './command-deps.ts';
import { enrichMessage } from '../rules/enrich-message.ts';
import { alreadySent, appendQueued, enqueue } from '../rules/message-queue.ts';
import { answerByMessage } from '../rules/questions.ts';
import { enterPhase } from '../rules/run-record.ts';
import type { AnsweringAgent } from '../run/answering-agent.ts';
import type { CommandCommits } from '../run/command-commits.ts';
import { assertSameMessage } from './assert-same-message.ts';

export interface MessagesDeps extends CommandDeps {
  readonly agent: AnsweringAgent;
  readonly commits: CommandCommits;
}

/**
 * Appends messages to the log. While calls are open or the model answers, messages wait in the queue: the answer comes first,
 * because the model has not seen them.
 */
export class Messages {
  readonly #deps: MessagesDeps;
  #last: Promise<unknown> | undefined;

  constructor(deps: MessagesDeps) {
    this.#deps = deps;
  }

  /** Settles when the last message that was sent is stored; `undefined` when none is on its way. */
  get sending(): Promise<unknown> | undefined {
    return this.#last;
  }

  /** Sends a message of a caller; runs wait for it. `also` is part of its commit. */
  async sendForCaller(
    draft: EventDraftOfKind<'MessageEvent'>,
    also: (transaction: Transaction) => void,
  ): Promise<SentMessage> {
    const sent = this.send(draft, also).catch((error: unknown) => {
      throw this.#deps.state.mask.error(error);
    });
    const settled = sent.then(ignore, ignore).then(() => {
      if (this.#last === settled) this.#last = undefined;
    });
    this.#last = settled;
    return sent;
  }

  /** True while the model is asked and has not answered yet. */
  get #isAsking(): boolean {
    return this.#deps.active.run?.asking === true;
  }

  /** Stores a message; the first message comes after the system prompt. `also` is part of its commit. */
  async send(
    draft: EventDraftOfKind<'MessageEvent'>,
    also: (transaction: Transaction) => void,
    prompt?: EventDraft,
  ): Promise<SentMessage> {
    const { state, safeguards, agent, session, commits } = this.#deps;
    let repeated = false;
    const sent = await commits.commit(async (transaction) => {
      const before = await alreadySent(transaction, draft.id);
      repeated = before !== undefined;
      if (repeated) transaction.validate(draft);
      if (before) return before;
      const { prompted, spoken } = transaction.branch;
      const isFirst = !prompted && !spoken;
      if (isFirst && !prompt) return undefined;
      if (isFirst && prompt) await transaction.append(prompt);
      also(transaction);
      return this.add(transaction, enrichMessage(transaction, agent.current, draft));
    });
    if (sent && repeated) await assertSameMessage(state, draft, sent.id);
    if (sent) return sent;
    const { secrets = [] } = safeguards.secrets ?? {};
    return this.send(draft, also, (await session.get()).systemPrompt({ secrets }));
  }

  /** Adds a message in a commit. It rejects waiting actions, unless a run is active. */
  async add(transaction: Transaction, draft: EventDraftOfKind<'MessageEvent'>): Promise<SentMessage> {
    if (transaction.state.executionStatus !== 'running') await supersede(transaction);
    // a message behind the answer makes the run continue
    if (transaction.state.lastRun?.phase === 'answered') enterPhase(transaction, 'working');
    const sent = await store(transaction, draft, this.#isAsking);
    if (sent.queued && !this.#isAsking) {
      await answerByMessage(transaction);
      await appendQueued(transaction);
    }
    // hooks may take their time: the next run asks them before any model sees the message
    if (this.#deps.safeguards.hooks.handles('UserPromptSubmit'))
      transaction.update({ add: { uncheckedMessages: [sent.id] } });
    return { id: sent.id, queued: transaction.state.queue.some(({ id }) => id === sent.id) };
  }
}

async function store(transaction: Transaction, draft: EventDraft, isAsking: boolean): Promise<SentMessage> {
  if (isAsking || transaction.openActions.length > 0) return { id: enqueue(transaction, draft), queued: true };
  await appendQueued(transaction);
  const [event] = await transaction.append(draft);
  return { id: (event as Event).id, queued: false };
}

function ignore(): void {}
