import { isEvent, type ActionEvent, type JsonObject } from '@conv/core/events';
import { type ApproveOptions, isConversationError } from '@conv/core';
import { isSameJson } from '@conv/core/platform';
import { conversationRoutes, eventRoutes } from '@conv/openhands/rest';

import type { ConversationLink } from './conversation-link.ts';

type Edits = NonNullable<ApproveOptions['edits']>;

/** Answers what waits for a person. */
export class Approving {
  readonly #link: ConversationLink;

  constructor(link: ConversationLink) {
    this.#link = link;
  }

  async approve(actionIds?: readonly string[], edits: Edits = {}): Promise<void> {
    const { api, capabilities, follower } = this.#link;
    if (Object.keys(edits).length > 0) return this.#approveEdited(actionIds, edits);
    if (capabilities.approvals) {
      await api.call(eventRoutes.approve, { body: { action_ids: actionIds ?? null } });
      return follower.sync();
    }
    await follower.sync();
    // on such a server, starting a run approves the waiting actions
    this.#refuseParts('approve', this.#chosen(actionIds));
  }

  async #approveEdited(actionIds: readonly string[] | undefined, edits: Edits): Promise<void> {
    const { api, capabilities, follower, state } = this.#link;
    // a server that does not know edits would approve the calls as they are
    if (!capabilities.approvalEdits)
      throw api.error(
        'UNSUPPORTED',
        'approve: edits: this server cannot change the arguments of calls; approve without edits',
      );
    const [pending, from] = [state.pendingActions, state.events.length];
    try {
      await api.call(eventRoutes.approve, { body: { action_ids: actionIds ?? null, edits } });
    } catch (error) {
      if (!isConversationError(error, 'UNKNOWN_ACTION') || !(await this.#edited(edits, pending, from))) throw error;
    }
    await follower.sync();
  }

  async reject(actionIds?: readonly string[], reason?: string): Promise<void> {
    const { api, capabilities, follower, state } = this.#link;
    if (capabilities.approvals) {
      const [pending, from] = [state.pendingActions, state.events.length];
      try {
        await api.call(eventRoutes.reject, { body: { action_ids: actionIds ?? null, reason } });
      } catch (error) {
        if (!isConversationError(error, 'UNKNOWN_ACTION') || !(await this.#rejected(actionIds, pending, from)))
          throw error;
      }
      return follower.sync();
    }
    await follower.sync();
    const chosen = this.#chosen(actionIds);
    if (chosen.length === 0) return;
    this.#refuseParts('reject', chosen);
    const wasAsked = state.executionStatus === 'waiting_for_confirmation';
    await api.call(eventRoutes.respondToConfirmation, { body: { accept: false, reason } });
    await follower.catchUp();
    if (!wasAsked) await this.readAnew();
  }

  /**
   * Rejects the open actions before a message is sent, on a server whose next run would execute them. The status does not show that
   * they wait, because a fork is idle. Actions of a run in progress stay.
   */
  async supersede(): Promise<void> {
    const { state, capabilities } = this.#link;
    if (capabilities.approvals || state.executionStatus === 'running' || state.pendingActions.length === 0) return;
    await this.reject(undefined, 'The user sent a message instead.');
  }

  /**
   * True if the next run begins with calls that the server left out of the messages for the model, as it does in a fork. The calls run, and
   * then the model refuses the request: `readAnew` mends it.
   */
  get inherits(): boolean {
    const { state, capabilities } = this.#link;
    const { executionStatus: status, pendingActions } = state;
    return (
      !capabilities.approvals &&
      status !== 'running' &&
      status !== 'waiting_for_confirmation' &&
      pendingActions.length > 0
    );
  }

  /** True if the model has answered since the event at `from`: then a run failed for another reason than calls that were left out. */
  async isAnswered(from: number): Promise<boolean> {
    const events = await this.#link.state.events.slice(from);
    return events.some(
      (event) => isEvent(event, 'ActionEvent') || (isEvent(event, 'MessageEvent') && event.source === 'agent'),
    );
  }

  /**
   * Moves HEAD to its own position, so that OpenHands' server rebuilds the messages for the model. When it loaded a fork it left
   * out open calls, and would send their results without the calls, which models refuse.
   */
  async readAnew(): Promise<void> {
    const { api, state, follower } = this.#link;
    await api.send(conversationRoutes.navigate, { body: { event_id: state.leafEventId } });
    await follower.catchUp();
  }

  /** True if the first try, whose answer was lost, rejected these actions. */
  async #rejected(ids: readonly string[] | undefined, before: readonly ActionEvent[], from: number): Promise<boolean> {
    const { state, follower } = this.#link;
    const asked = ids ?? before.map(({ id }) => id);
    if (!asked.every((id) => before.some((action) => action.id === id))) return false;
    await follower.sync();
    const events = await state.events.slice(from);
    const rejected = new Set(
      events.flatMap((event) => (isEvent(event, 'UserRejectObservation') ? [event.action_id] : [])),
    );
    return asked.every((id) => rejected.has(id));
  }

  /** True if the first try, whose answer was lost, stored these edits: the rejections of the actions, and calls with their arguments. */
  async #edited(edits: Edits, before: readonly ActionEvent[], from: number): Promise<boolean> {
    if (!(await this.#rejected(Object.keys(edits), before, from))) return false;
    const calls = (await this.#link.state.events.slice(from)).filter((event) => isEvent(event, 'ActionEvent'));
    return before
      .filter(({ id }) => Object.hasOwn(edits, id))
      .every(({ id, llm_response_id: response, tool_name: tool }) =>
        calls.some(
          (call) =>
            call.llm_response_id === response &&
            call.tool_name === tool &&
            isStoredAs(edits[id] ?? {}, parsed(call.tool_call.arguments)),
        ),
      );
  }

  #chosen(ids: readonly string[] | undefined): readonly ActionEvent[] {
    const { state, api } = this.#link;
    const pending = state.pendingActions;
    const unknown = ids?.find((id) => !pending.some((action) => action.id === id));
    if (unknown !== undefined)
      throw api.error(
        'UNKNOWN_ACTION',
        `no pending action has the id ${JSON.stringify(unknown)}; state.pendingActions has the actions that wait`,
      );
    return ids === undefined ? pending : pending.filter(({ id }) => ids.includes(id));
  }

  #refuseParts(verb: string, chosen: readonly ActionEvent[]): void {
    const { state, api } = this.#link;
    if (chosen.length === state.pendingActions.length) return;
    throw api.error('UNSUPPORTED', `this server can only ${verb} all pending actions at once; leave out the ids`);
  }
}

/** Parameters that agents add to every tool for the model. An edited call has them only if they are the tool's own. */
const ADDED: ReadonlySet<string> = new Set(['security_risk', 'summary']);

/** True if a call with these arguments is stored for the edit. */
function isStoredAs(edit: JsonObject, stored: unknown): boolean {
  const own = Object.entries(edit).filter(([name]) => !ADDED.has(name) || Object.hasOwn(Object(stored), name));
  return isSameJson(Object.fromEntries(own), stored);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
