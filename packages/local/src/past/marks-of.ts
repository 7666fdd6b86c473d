import { type pastViews, type Projection, projections } from '@conv/core';
import { eventGuards, isEvent, type Event } from '@conv/core/events';
import type { Commit } from '@conv/core/store';

/** A mark before its label is made: the event that it is about, or the words. */
export interface FoundMark {
  readonly kind: pastViews.OutlineKind;
  readonly event: number;
  readonly about: Event | string;
}

/** The actions of tools that start sub-agents. */
const SUB_AGENT_ACTIONS: ReadonlySet<string> = new Set(['TaskAction', 'DelegateAction']);

/** Returns the marks that a commit adds, from the states before and after it. */
export function marksOf(before: Projection, commit: Commit, after: Projection): readonly FoundMark[] {
  const marks: FoundMark[] = [];
  let head = before.fields.leafEventId;
  commit.events.forEach((event, offset) => {
    const number = commit.firstEvent + offset;
    const kind = kindOf(event);
    if (kind) marks.push({ kind, event: number, about: event });
    if (!eventGuards.movesHead(event)) return;
    if (projections.parentOf(event, number === 0 ? null : head) !== head)
      marks.push({ kind: 'branch', event: number, about: event });
    head = event.id;
  });
  if (after.fields !== before.fields) addChanges(marks, { before, commit, after, head });
  return marks;
}

function kindOf(event: Event): pastViews.OutlineKind | undefined {
  if (isEvent(event, 'MessageEvent'))
    return event.source === 'user' ? 'message' : event.source === 'agent' ? 'answer' : undefined;
  if (isEvent(event, 'ActionEvent')) return SUB_AGENT_ACTIONS.has(event.action?.kind ?? '') ? 'subagent' : undefined;
  if (eventGuards.isFinishResult(event)) return 'finish';
  if (isEvent(event, 'ObservationEvent')) return event.observation['is_error'] === true ? 'error' : undefined;
  if (isEvent(event, 'AgentErrorEvent') || isEvent(event, 'ConversationErrorEvent')) return 'error';
  if (isEvent(event, 'UserRejectObservation')) return 'rejection';
  if (isEvent(event, 'Condensation')) return 'condensation';
  return isEvent(event, 'PauseEvent') || isEvent(event, 'InterruptEvent') ? 'pause' : undefined;
}

interface Change {
  readonly before: Projection;
  readonly commit: Commit;
  readonly after: Projection;
  /** HEAD after the events of the commit. */
  readonly head: string | null;
}

/** Adds the marks of changes of the state. The first commit sets everything, so it changes nothing. */
function addChanges(marks: FoundMark[], { before: { fields: was }, commit, after, head }: Change): void {
  const { fields: is, branch } = after;
  const event: number = commit.firstEvent;
  const add = (kind: pastViews.OutlineKind, about: Event | string, at = event): void =>
    void marks.push({ kind, event: at, about });
  if (is.damaged && !was.damaged) add('damage', is.damage.at(-1)?.reason ?? '');
  const next = event + commit.events.length;
  if (is.forkedFrom && is.forkedFrom.conversationId !== was.forkedFrom?.conversationId && next > 0)
    add('fork', is.forkedFrom.conversationId, next);
  if (is.executionStatus === 'waiting_for_confirmation' && was.executionStatus !== is.executionStatus) {
    const [first] = projections.pendingCalls(branch);
    if (first) add('approval', first.event, first.index);
  }
  if (commit.seq === 0) return;
  if (is.leafEventId !== head) add('branch', '');
  const model = modelOf(is.agent);
  if (model !== '' && model !== modelOf(was.agent)) add('model', model);
  if (is.confirmationPolicy.kind !== was.confirmationPolicy.kind) add('policy', nameOf(is.confirmationPolicy.kind));
}

/** Returns the name of the model of an agent; `''` for an agent that describes none. */
function modelOf(agent: { readonly [member: string]: unknown }): string {
  const { llm } = agent;
  const model: unknown = typeof llm === 'object' && llm !== null && 'model' in llm ? llm.model : '';
  return typeof model === 'string' ? model : '';
}

function nameOf(kind: unknown): string {
  return typeof kind === 'string' ? kind : '';
}
