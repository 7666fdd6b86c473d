import {
  RequestError,
  type AgentContext,
  type ContentBlock,
  type PromptResponse,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { Conversation } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { branchItems, ClientRuns, Questions, TurnFollower, type ErrorItem, type TurnChange } from '@conv/turns';

import { promptParts, textBlock } from './content-blocks.ts';
import type { EditorOptions } from './editor-options.ts';
import { applyMode, EDITOR_MODES, modeState } from './modes.ts';
import { askPermission } from './permissions.ts';
import { requestError } from './request-errors.ts';
import { SessionFacts } from './session-facts.ts';
import { SessionUpdates } from './session-updates.ts';

/** The place from which an editor is told a conversation: its whole history, only what is new, or what comes after a cursor. */
export type SessionStart = 'history' | 'now' | number;

/** Limits that end a run; another prompt goes on. */
const LIMITS: ReadonlySet<string> = new Set(['MaxIterationsReached', 'MaxBudgetReached']);

/** A prompt without its answer. */
interface Turn {
  readonly cancelled: AbortController;
  /** True when the conversation has its message. */
  isSent: boolean;
}

/**
 * A conversation at one editor. Follows it from every place where it is worked on, and ends with the connection; the conversation and
 * its run go on. A prompt ends when the conversation is at rest, so sent prompts end together.
 */
export class EditorSession {
  readonly #conversation: Conversation;
  readonly #editor: AgentContext;
  readonly #options: EditorOptions;
  readonly #updates = new SessionUpdates(() => this.#workingDir);
  readonly #questions: Questions;
  readonly #facts: SessionFacts;
  readonly #closed = new AbortController();
  readonly #lost = Promise.withResolvers<never>();
  readonly #runs: ClientRuns;
  readonly #turns = new Set<Turn>();
  /** The messages of this editor, which it shows already. */
  readonly #own = new Set<string>();
  #follower: TurnFollower | undefined;
  /** The number of the last event that was followed. */
  #cursor = -1;
  /** The number of the last event that the editor was told completely, so that it can drop what it has of later ones. */
  #told = -1;
  /** True while pieces of an answer are told. */
  #isAnswering = false;
  #error: ErrorItem | undefined;

  constructor(conversation: Conversation, editor: AgentContext, options: EditorOptions) {
    const { onError, platform } = options;
    this.#conversation = conversation;
    this.#editor = editor;
    this.#options = options;
    this.#lost.promise.catch(() => undefined);
    const { signal } = this.#closed;
    this.#runs = new ClientRuns(conversation, {
      signal,
      caughtUp: () => this.#follower?.caughtUp(),
      onError,
      platform,
    });
    this.#questions = new Questions(conversation, {
      ask: (question) => askPermission(editor, { sessionId: conversation.id, workingDir: this.#workingDir }, question),
      onDecided: (taken) => this.#runs.begin(taken),
      onDismissed: () => this.#cancelTurns(),
      onFailure: (error) => void this.#remark(error),
    });
    this.#facts = new SessionFacts(conversation.state, this.#modes);
  }

  /** The modes of the session, as the editor chooses them. */
  get modes(): SessionModeState {
    return modeState(this.#conversation.state, this.#modes);
  }

  /** Tells the editor what it lacks, and everything that happens from then on. Resolves when it has what exists. */
  async start(from: SessionStart): Promise<void> {
    const { events, state } = this.#conversation;
    this.#cursor = typeof from === 'number' ? from : events.length - 1;
    const { signal } = this.#closed;
    const told = from === 'history' ? await branchItems(events, this.#cursor, state) : [];
    const updates = told.flatMap((item) => this.#updates.item(item));
    await this.#tell(updates, this.#cursor);
    this.#told = this.#cursor;
    if (signal.aborted) return;
    this.#follower = new TurnFollower(this.#conversation, this.#cursor, (change) => this.#take(change));
    this.#follower.ended.catch((error: unknown) => {
      if (!signal.aborted) this.#options.onError?.(error);
      this.#lost.reject(requestError(error, this.#conversation.id));
    });
    await this.#follower.caughtUp();
    await this.#tellFacts();
    if (signal.aborted) return;
    this.#conversation.subscribe({ onStateChange: () => this.#tellFacts(), onError: () => undefined }, { signal });
    // what a person approved before the process ended runs now
    if (state.executionStatus === 'waiting_for_confirmation') this.#runs.begin('nothing');
  }

  /** Sends a message and lets the agent answer it. Resolves with the reason why the turn ended. */
  async prompt(prompt: readonly ContentBlock[]): Promise<PromptResponse> {
    const parts = promptParts(prompt);
    const turn: Turn = { cancelled: new AbortController(), isSent: false };
    const { signal } = turn.cancelled;
    const id = (this.#options.platform ?? systemPlatform).id();
    this.#own.add(id);
    this.#turns.add(turn);
    try {
      await this.#runs.send(parts, id, signal);
      this.#error = undefined;
      turn.isSent = true;
      await Promise.race([this.#runs.rest(signal), this.#lost.promise]);
      const { metrics } = this.#conversation.state;
      const _meta = { 'conv/metrics': metrics, 'conv/cursor': this.#cursor };
      return { stopReason: this.#stopReason(signal.aborted), _meta };
    } finally {
      this.#turns.delete(turn);
    }
  }

  /** Interrupts the run and ends the turns. Calls that wait for permission keep waiting, for the next loading or for another place. */
  async cancel(): Promise<void> {
    this.#questions.withdraw(true);
    for (const { cancelled } of this.#turns) cancelled.abort();
    await this.#runs.interrupt();
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
    this.#questions.withdraw(true);
    this.#closed.abort();
    this.#follower?.close();
  }

  /** Resolves when the runs that this session began have ended. */
  settled(): Promise<void> {
    return this.#runs.settled();
  }

  get #modes() {
    return this.#options.modes ?? EDITOR_MODES;
  }

  get #workingDir(): string {
    return this.#conversation.state.workspace.workingDir;
  }

  async #take(change: TurnChange): Promise<void> {
    const item = change.type === 'item' ? change.item : undefined;
    const updates = item && this.#own.has(item.id) ? [] : this.#updates.take(change);
    // an answer may begin before the event in front of it is durable
    const isEnd = change.type === 'withdrawn' || item?.kind === 'answer';
    this.#isAnswering = change.type === 'piece' || (this.#isAnswering && !isEnd);
    // an editor keeps all that it has when the cursor moves: also pieces that may be void, and the text of an event whose call
    // it was not told yet
    const isWhole = item !== undefined && item.index <= change.cursor && !this.#isAnswering;
    await this.#tell(updates, isWhole ? change.cursor : -1);
    this.#cursor = change.cursor;
    if (this.#closed.signal.aborted || change.type === 'piece' || change.type === 'output') return;
    if (item?.kind === 'error') this.#error = item;
    if (item?.kind === 'call' && this.#options.mayApprove !== false) this.#questions.ask(item);
    this.#questions.withdraw();
    await this.#tellFacts();
  }

  /** Tells updates. The last one moves the cursor to the given event, unless it is there already. */
  async #tell(updates: readonly SessionUpdate[], cursor = -1): Promise<void> {
    const { id: sessionId } = this.#conversation;
    for (const [place, update] of updates.entries()) {
      if (this.#closed.signal.aborted) return;
      if (place === updates.length - 1) this.#told = Math.max(this.#told, cursor);
      await this.#editor.notify('session/update', { sessionId, update, _meta: { 'conv/cursor': this.#told } });
    }
  }

  async #tellFacts(): Promise<void> {
    await this.#tell(this.#facts.changed(this.#conversation.state));
  }

  async #remark(error: unknown): Promise<void> {
    this.#options.onError?.(error);
    const content = textBlock(`Nothing was decided: ${requestError(error).message}`);
    await this.#tell([{ sessionUpdate: 'agent_thought_chunk', content }]).catch(() => undefined);
    this.#cancelTurns();
  }

  #cancelTurns(): void {
    for (const { cancelled, isSent } of this.#turns) if (isSent) cancelled.abort();
  }

  /** Returns the reason why a turn ended. Throws the protocol's error for a run that failed. */
  #stopReason(isCancelled: boolean): StopReason {
    const { id, state } = this.#conversation;
    if (isCancelled || this.#closed.signal.aborted || state.executionStatus === 'paused') return 'cancelled';
    if (LIMITS.has(this.#error?.code ?? '')) return 'max_turn_requests';
    if (this.#error) throw RequestError.internalError({ code: this.#error.code }, this.#error.detail);
    if (this.#runs.failure === undefined) return 'end_turn';
    throw requestError(this.#runs.failure, id);
  }
}
