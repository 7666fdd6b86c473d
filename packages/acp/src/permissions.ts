import type { AgentContext, PermissionOption, ToolCall } from '@agentclientprotocol/sdk';
import { isConversationError, type Conversation } from '@conv/core';
import { Decisions, type Taken } from '@conv/turns';

const OPTIONS: readonly PermissionOption[] = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** Receivers of what comes of a permission request. */
interface PermissionListener {
  /** Called when nothing is left to decide. */
  readonly onDecided: (taken: Taken) => void;
  /** Called when the person left a question without an answer. */
  readonly onDismissed: () => void;
  /** Called when a decision could not be asked for or stored. */
  readonly onFailure: (error: unknown) => void;
}

/** Asks a person at an editor about the calls that wait, each once, and withdraws questions that were decided elsewhere. */
export class Permissions {
  readonly #conversation: Conversation;
  readonly #editor: AgentContext;
  readonly #listener: PermissionListener;
  readonly #decisions: Decisions;
  readonly #asked = new Set<string>();
  readonly #open = new Map<string, AbortController>();

  constructor(conversation: Conversation, editor: AgentContext, listener: PermissionListener) {
    this.#conversation = conversation;
    this.#editor = editor;
    this.#listener = listener;
    this.#decisions = new Decisions(conversation);
  }

  /** Asks about a call, unless it was asked about before. */
  ask(toolCall: ToolCall): void {
    if (this.#asked.has(toolCall.toolCallId)) return;
    this.#asked.add(toolCall.toolCallId);
    void this.#ask(toolCall);
  }

  /** Withdraws the questions about calls that no longer wait, or every question. */
  withdraw(all = false): void {
    const undecided = new Set(all ? [] : this.#decisions.undecided);
    for (const [actionId, question] of this.#open) if (!undecided.has(actionId)) question.abort();
  }

  async #ask(toolCall: ToolCall): Promise<void> {
    const { toolCallId: actionId } = toolCall;
    const { signal } = this.#opened(actionId);
    try {
      const { outcome } = await this.#editor.request(
        'session/request_permission',
        { sessionId: this.#conversation.id, toolCall, options: [...OPTIONS] },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      if (signal.aborted) return;
      if (outcome.outcome !== 'selected') return this.#listener.onDismissed();
      const taken = await this.#decisions.decide(actionId, outcome.optionId === 'allow', 'Rejected in the editor.');
      if (taken) this.#listener.onDecided(taken);
    } catch (error) {
      const isElsewhere = signal.aborted || isConversationError(error, 'UNKNOWN_ACTION');
      if (!isElsewhere) this.#listener.onFailure(error);
    } finally {
      this.#open.delete(actionId);
    }
  }

  #opened(actionId: string): AbortController {
    const question = new AbortController();
    this.#open.set(actionId, question);
    return question;
  }
}
