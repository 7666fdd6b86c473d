import {
  RequestError,
  type AgentContext,
  type ContentBlock,
  type PromptResponse,
  type SessionModeState,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { Conversation, MessagePart } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { answerRun, branchItems, TurnFollower, type ErrorItem, type Taken, type TurnChange } from '@conv/turns';

import { promptParts, textBlock } from './content-blocks.ts';
import type { EditorOptions } from './editor-options.ts';
import { applyMode, EDITOR_MODES, modeState } from './modes.ts';
import { Permissions } from './permissions.ts';
import { requestError } from './request-errors.ts';
import { SessionFacts } from './session-facts.ts';
import { SessionUpdates } from './session-updates.ts';
import { toolCallOf } from './tool-calls.ts';

/** The place from which an editor is told a conversation: its whole history, only what is new, or what comes after a cursor. */
export type SessionStart = 'history' | 'now' | number;

/** Limits that end a run; another prompt goes on. */
const LIMITS: ReadonlySet<string> = new Set(['MaxIterationsReached', 'MaxBudgetReached']);

/** A prompt without its answer. It is sent when the conversation has its message. */
interface Turn extends PromiseWithResolvers<PromptResponse> {
  isSent: boolean;
  isCancelled: boolean;
}

/**
 * A conversation at one editor. Follows it from every place where it is worked on, and ends with the connection; the conversation and its run go on.
 * Prompts wait in `#turns` until the conversation is at rest, and sent prompts end together.
 */
export class EditorSession {
  readonly #conversation: Conversation;
  readonly #editor: AgentContext;
  readonly #options: EditorOptions;
  readonly #updates = new SessionUpdates(() => this.#workingDir);
  readonly #permissions: Permissions;
  readonly #facts: SessionFacts;
  readonly #closed = new AbortController();
  readonly #turns = new Set<Turn>();
  /** The messages of this editor, which it shows already. */
  readonly #own = new Set<string>();
  readonly #runs = new Set<Promise<void>>();
  #follower: TurnFollower | undefined;
  #cursor = -1;
  #interrupted: Promise<void> = Promise.resolve();
  #failure: unknown;
  #error: ErrorItem | undefined;

  constructor(conversation: Conversation, editor: AgentContext, options: EditorOptions) {
    this.#conversation = conversation;
    this.#editor = editor;
    this.#options = options;
    this.#permissions = new Permissions(conversation, editor, {
      onDecided: (taken) => this.#begin(taken),
      onDismissed: () => this.#cancelTurns(),
      onFailure: (error) => void this.#remark(error),
    });
    this.#facts = new SessionFacts(
      () => conversation.state,
      this.#modes,
      (update) => this.#tell(update),
    );
  }

  /** The modes of the session, as the editor chooses them. */
  get modes(): SessionModeState {
    return modeState(this.#conversation.state, this.#modes);
  }

  /** Tells the editor what it lacks, and everything that happens from then on. Resolves when it has what exists. */
  async start(from: SessionStart): Promise<void> {
    const { events, state } = this.#conversation;
    this.#cursor = typeof from === 'number' ? from : events.length - 1;
    if (!(this.#cursor >= -1 && this.#cursor < events.length))
      throw RequestError.invalidParams(
        {},
        `conv/after: expected the number of an event, from -1 to ${events.length - 1}, found ${this.#cursor}; load the session`,
      );
    for (const item of from === 'history' ? await branchItems(events, this.#cursor) : [])
      for (const update of this.#updates.item(item)) await this.#tell(update);
    const { signal } = this.#closed;
    if (signal.aborted) return;
    const follower = new TurnFollower(this.#conversation, this.#cursor, (change) => this.#take(change));
    this.#follower = follower;
    follower.ended.catch((error: unknown) => this.#lose(error));
    await follower.caughtUp();
    await this.#facts.tell();
    if (signal.aborted) return;
    this.#conversation.subscribe({ onStateChange: () => this.#facts.tell(), onError: () => undefined }, { signal });
    // what a person approved before the process ended runs now
    if (state.executionStatus === 'waiting_for_confirmation') this.#begin('nothing');
  }

  /** Sends a message and lets the agent answer it. Resolves with the reason why the turn ended. */
  async prompt(prompt: readonly ContentBlock[]): Promise<PromptResponse> {
    const parts = promptParts(prompt);
    const turn: Turn = { ...Promise.withResolvers<PromptResponse>(), isSent: false, isCancelled: false };
    this.#turns.add(turn);
    void this.#send(turn, parts).catch((error: unknown) => {
      this.#turns.delete(turn);
      turn.reject(error);
    });
    return turn.promise;
  }

  /** Interrupts the run and ends the turns. Calls that wait for permission wait on, for the next loading or for another place. */
  async cancel(): Promise<void> {
    this.#permissions.withdraw(true);
    for (const turn of this.#turns) turn.isCancelled = true;
    const interrupted = this.#conversation.interrupt();
    this.#interrupted = interrupted.catch(() => undefined);
    await interrupted;
    void this.#check();
  }

  /** Chooses which calls wait for permission. */
  async setMode(modeId: string): Promise<void> {
    const mode = this.#modes.find(({ id }) => id === modeId);
    const known = this.#modes.map(({ id }) => id).join(', ');
    if (!mode) throw RequestError.invalidParams({ modeId }, `modeId: expected one of ${known}, found ${modeId}`);
    if (this.#options.mayApprove === false)
      throw RequestError.invalidRequest({}, 'expected an editor that may approve calls, which choosing a mode does');
    await applyMode(this.#conversation, mode);
  }

  /** Ends the session at this editor, answers its turns as cancelled, and withdraws its questions. Nothing else ends. */
  close(): void {
    this.#permissions.withdraw(true);
    this.#closed.abort();
    this.#follower?.close();
    for (const turn of this.#turns) this.#answer(turn, 'cancelled');
    this.#turns.clear();
  }

  /** Resolves when the runs that this session began have ended. */
  async settled(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  get #modes() {
    return this.#options.modes ?? EDITOR_MODES;
  }

  get #workingDir(): string {
    return this.#conversation.state.workspace.workingDir;
  }

  async #send(turn: Turn, parts: readonly MessagePart[]): Promise<void> {
    const id = (this.#options.platform ?? systemPlatform).id();
    this.#own.add(id);
    // a run that is being interrupted would take the message and not answer it
    await this.#interrupted;
    await this.#conversation.sendMessage(parts, { id });
    turn.isSent = true;
    this.#failure = undefined;
    this.#error = undefined;
    if (turn.isCancelled) void this.#check();
    else this.#begin('message');
  }

  async #take(change: TurnChange): Promise<void> {
    const isShown = change.type === 'item' && this.#own.has(change.item.id);
    const updates = isShown ? [] : this.#updates.take(change);
    // only the last update of a change tells it completely
    for (const [place, update] of updates.entries())
      await this.#tell(update, place === updates.length - 1 ? change.cursor : this.#cursor);
    this.#cursor = change.cursor;
    if (this.#closed.signal.aborted) return;
    if (change.type === 'piece' || change.type === 'output') return;
    if (change.type === 'item') {
      const { item } = change;
      if (item.kind === 'error') this.#error = item;
      if (item.kind === 'call' && item.phase === 'waiting' && this.#options.mayApprove !== false)
        this.#permissions.ask(toolCallOf(item, this.#workingDir));
    }
    this.#permissions.withdraw();
    await this.#facts.tell();
    if (change.type === 'state') void this.#check();
  }

  async #tell(update: SessionUpdate, cursor: number = this.#cursor): Promise<void> {
    if (this.#closed.signal.aborted) return;
    const { id: sessionId } = this.#conversation;
    await this.#editor.notify('session/update', { sessionId, update, _meta: { 'conv/cursor': cursor } });
  }

  async #remark(error: unknown): Promise<void> {
    this.#options.onError?.(error);
    const content = textBlock(`Nothing was decided: ${requestError(error).message}`);
    await this.#tell({ sessionUpdate: 'agent_thought_chunk', content }).catch(() => undefined);
    this.#cancelTurns();
  }

  /** The log was replaced, the conversation is lost, or the editor has gone. */
  #lose(error: unknown): void {
    if (this.#closed.signal.aborted) return;
    this.#options.onError?.(error);
    for (const turn of this.#turns) turn.reject(requestError(error, this.#conversation.id));
    this.#turns.clear();
  }

  /** Begins the run that answers what the editor said, if none is under way that does. */
  #begin(taken: Taken): void {
    const work = answerRun(this.#conversation, taken, this.#options.platform);
    if (!work) return void this.#check();
    const run: Promise<void> = work
      .catch((error: unknown) => {
        this.#failure = error;
        this.#options.onError?.(error);
      })
      .then(() => {
        this.#runs.delete(run);
        void this.#check();
      });
    this.#runs.add(run);
  }

  #cancelTurns(): void {
    for (const turn of this.#turns) turn.isCancelled ||= turn.isSent;
    void this.#check();
  }

  /** Ends the turns if the conversation is at rest, when the editor was told everything. */
  async #check(): Promise<void> {
    if (this.#over.length === 0) return;
    await this.#follower?.caughtUp();
    for (const turn of this.#over) {
      this.#turns.delete(turn);
      this.#end(turn);
    }
  }

  /** The turns in which nothing more comes. A turn waits with its calls, until they are decided here or elsewhere. */
  get #over(): readonly Turn[] {
    const { executionStatus } = this.#conversation.state;
    if (this.#runs.size > 0 || executionStatus === 'running') return [];
    // after a rejection elsewhere the run that tells the model of it has not begun yet
    const isBetween = executionStatus === 'idle' && this.#failure === undefined;
    const isAtRest = !isBetween && executionStatus !== 'waiting_for_confirmation';
    return [...this.#turns].filter(({ isSent, isCancelled }) => isSent && (isCancelled || isAtRest));
  }

  #end(turn: Turn): void {
    const isCancelled = turn.isCancelled || this.#conversation.state.executionStatus === 'paused';
    if (isCancelled) this.#answer(turn, 'cancelled');
    else if (LIMITS.has(this.#error?.code ?? '')) this.#answer(turn, 'max_turn_requests');
    else if (this.#error) turn.reject(RequestError.internalError({ code: this.#error.code }, this.#error.detail));
    else if (this.#failure === undefined) this.#answer(turn, 'end_turn');
    else turn.reject(requestError(this.#failure, this.#conversation.id));
  }

  #answer({ resolve }: Turn, stopReason: PromptResponse['stopReason']): void {
    resolve({ stopReason, _meta: { 'conv/metrics': this.#conversation.state.metrics } });
  }
}
