import { abortable, isConversationError, isPolicyActive, type Conversation } from '@conv/core';
import { isEvent } from '@conv/core/events';
import type { ChildResult, ChildTask } from '@conv/core/tool';

/** Asks a person about the actions of a child that wait, who approves or rejects them by the child's own methods. */
export type AskAboutChild = (child: Conversation) => void | Promise<void>;

/** What a child works under. */
export interface ChildWork {
  readonly signal: AbortSignal;
  /** `undefined` when there is nobody to ask. */
  readonly ask: AskAboutChild | undefined;
}

/** How far back the reason of an end is looked for. */
const LAST_EVENTS = 20;

/** Has the child do its task. Resolves when its work is stored; rejects with the signal's reason when it was interrupted. */
export async function workOn(child: Conversation, task: ChildTask, work: ChildWork): Promise<ChildResult> {
  const { maxIterations } = child.state;
  const limit = Math.min(maxIterations, task.maxIterations ?? maxIterations);
  const refused = waitsForPerson(child) ? await goOn(child, limit, work) : undefined;
  // a prompt would reject in the name of a person what that person has not decided on
  if (waitsForPerson(child)) return resultOf(child, refused);
  await child.sendMessage(task.prompt);
  return resultOf(child, await goOn(child, limit, work));
}

/** Runs it until it stops, asking a person whenever it waits for one. Resolves with why nobody could be asked. */
async function goOn(
  child: Conversation,
  maxIterations: number,
  { signal, ask }: ChildWork,
): Promise<string | undefined> {
  // running what waits would approve all of it, unless a person named some
  const mayRun = (): boolean => !isWaiting(child) || isApproved(child);
  do {
    if (mayRun()) await runOnce(child, maxIterations, signal);
    if (!isWaiting(child) || !ask) return undefined;
    try {
      await abortable(askAbout(child, ask), signal);
    } catch (error) {
      signal.throwIfAborted();
      return `Nobody could be asked: ${error instanceof Error ? error.message : String(error)}`;
    }
  } while (mayRun());
  return undefined;
}

async function askAbout(child: Conversation, ask: AskAboutChild): Promise<void> {
  await ask(child);
}

async function runOnce(child: Conversation, maxIterations: number, signal: AbortSignal): Promise<void> {
  try {
    await child.run({ maxIterations, signal });
  } catch (error) {
    // the child's log says why
    if (!isConversationError(error, 'RUN_FAILED')) throw error;
  }
  signal.throwIfAborted();
}

function isWaiting({ state }: Conversation): boolean {
  return state.executionStatus === 'waiting_for_confirmation';
}

/** What waits without a policy that asks was left behind by a crash: a prompt may reject it, as any message does. */
function waitsForPerson(child: Conversation): boolean {
  return isWaiting(child) && (isPolicyActive(child.state.confirmationPolicy) || isApproved(child));
}

/** Running it executes what was named, and nothing else: without a name it would approve everything. */
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
