import { policies, abortable, type Conversation, errorText, isConversationError } from '@conv/core';
import { isEvent } from '@conv/core/events';
import type { ChildResult, ChildTask } from '@conv/core/tool';

import { decisionIn } from '../rules/named-decision.ts';

/** Asks a person about the waiting actions of a child. The person approves or rejects them by the child's own methods. */
export type AskAboutChild = (child: Conversation) => void | Promise<void>;

/** Conditions of a child's work. */
export interface ChildWork {
  readonly signal: AbortSignal;
  /** `undefined` when there is no person to ask. */
  readonly ask: AskAboutChild | undefined;
}

/** Number of newest events that are searched for the reason of an end. */
const LAST_EVENTS = 20;

/** Runs the child on its task. Resolves when its work is stored; rejects with the signal's reason when interrupted. */
export async function workOn(child: Conversation, task: ChildTask, work: ChildWork): Promise<ChildResult> {
  const { maxIterations } = child.state;
  const limit = Math.min(maxIterations, task.maxIterations ?? maxIterations);
  const refused = waitsForPerson(child) ? await goOn(child, limit, work) : undefined;
  // a prompt would reject the waiting actions in the person's name, before the person has decided
  if (waitsForPerson(child)) return resultOf(child, refused);
  await child.sendMessage(task.prompt);
  return resultOf(child, await goOn(child, limit, work));
}

/** Runs the child until it stops; asks a person when it waits. Resolves with the reason if no person could be asked. */
async function goOn(
  child: Conversation,
  maxIterations: number,
  { signal, ask }: ChildWork,
): Promise<string | undefined> {
  // a run would approve all waiting actions, unless a person has named some
  const mayRun = (): boolean => !isWaiting(child) || isApproved(child);
  do {
    if (mayRun()) await runOnce(child, maxIterations, signal);
    if (!isWaiting(child) || !ask) return undefined;
    try {
      await abortable(askAbout(child, ask), signal);
    } catch (error) {
      signal.throwIfAborted();
      return `The question did not reach a person: ${errorText(error)}`;
    }
  } while (mayRun());
  return undefined;
}

/** Resolves when the person was asked, or when the question has expired: an answer to it may never come. */
async function askAbout(child: Conversation, ask: AskAboutChild): Promise<void> {
  const expired = Promise.withResolvers<void>();
  const watching = child.subscribe({
    onStateChange: ({ executionStatus, extra }) => {
      if (executionStatus !== 'waiting_for_confirmation' && decisionIn(extra.meta).expired === true) expired.resolve();
    },
  });
  try {
    await Promise.race([ask(child), expired.promise]);
  } finally {
    watching.unsubscribe();
  }
}

async function runOnce(child: Conversation, maxIterations: number, signal: AbortSignal): Promise<void> {
  try {
    await child.run({ maxIterations, signal, approves: false });
  } catch (error) {
    // the child's log says why
    if (!isConversationError(error, 'RUN_FAILED')) throw error;
  }
  signal.throwIfAborted();
}

function isWaiting({ state }: Conversation): boolean {
  return state.executionStatus === 'waiting_for_confirmation';
}

/**
 * True if a person has to decide before the child continues. Without a policy that asks, a crash left the actions behind, and a
 * prompt may reject them as any message does.
 */
function waitsForPerson(child: Conversation): boolean {
  return isWaiting(child) && (policies.isActive(child.state.confirmationPolicy) || isApproved(child));
}

/** True if a person has approved actions by name: a run executes only these. Without a name it would approve everything. */
function isApproved({ state }: Conversation): boolean {
  return state.pendingActions.some(({ id }) => state.calls[id] === 'approved');
}

async function resultOf(child: Conversation, refused: string | undefined): Promise<ChildResult> {
  const { executionStatus: status, pendingActions } = child.state;
  const error = status === 'error' || status === 'stuck' ? await reasonOf(child) : refused;
  return {
    id: child.id,
    status,
    answer: status === 'finished' ? await child.finalResponse() : '',
    ...(error === undefined ? {} : { error }),
    pending: status === 'waiting_for_confirmation' ? pendingActions : [],
  };
}

async function reasonOf({ events }: Conversation): Promise<string | undefined> {
  const last = await events.slice(-LAST_EVENTS);
  const failure = last.findLast((event) => isEvent(event, 'ConversationErrorEvent'));
  return failure?.detail;
}
