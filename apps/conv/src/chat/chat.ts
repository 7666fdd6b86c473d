import process from 'node:process';

import { type Conversation, isConversationError } from '@conv/core';
import { plainLine } from '@conv/visualize/text';
import pc from 'picocolors';

import { readLine, runCommand } from './commands/slash-commands.ts';
import type { InputHistory } from './history/input-history.ts';
import type { ChatHome } from './home/chat-home.ts';
import { openWhenFree, type OtherClaim } from './home/open-when-free.ts';
import { type ChatScreen, EMPTY_VIEW } from './screen/chat-screen.ts';
import { type AskedOnScreen, ChatSession } from './session/chat-session.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { lastTurns } from './session/last-turns.ts';
import { nameByMessage } from './session/name-by-message.ts';
import { modelOf } from './session/status-facts.ts';
import { hasUnansweredMessage } from './session/unanswered-message.ts';

/** Milliseconds within which a second Ctrl-D confirms the first. */
const CONFIRM = 5_000;

/** Dependencies of {@link Chat}. */
export interface ChatDeps {
  readonly home: ChatHome;
  readonly screen: ChatScreen;
  readonly history: InputHistory | undefined;
  /** Called with each conversation that the screen shows. */
  readonly onShown: (session: ChatSession) => void;
}

/** A chat in a terminal, until the user leaves it. */
export class Chat {
  readonly #deps: ChatDeps;
  readonly #left = Promise.withResolvers<unknown>();
  #session: ChatSession | undefined;
  #lines: Promise<void> = Promise.resolve();
  #wish = 0;
  #isLeft = false;
  readonly #onSignal = (): void => this.#left.resolve(undefined);
  readonly #onInterrupt = (): void => this.#interrupt();

  constructor(deps: ChatDeps) {
    this.#deps = deps;
  }

  /**
   * Opens a conversation, shows it, and talks until the person leaves; closes it. Input that is typed while it opens waits.
   * Resolves with its id, or with `undefined` if the user left before it was open. Rejects as `open` does, and with the error by
   * which this process lost the conversation, such as `FENCED`.
   */
  async talk(open: () => Promise<Conversation>): Promise<string | undefined> {
    const { screen } = this.#deps;
    screen.show({ ...EMPTY_VIEW, status: ['opening …'] });
    screen.start({
      onText: (text) => this.#take(text),
      onInterrupt: () => this.#interrupt(),
      onLeave: () => this.#wishToLeave(),
    });
    process.on('SIGINT', this.#onInterrupt);
    for (const signal of SIGNALS) process.once(signal, this.#onSignal);
    try {
      const opened = this.#open(open);
      this.#lines = opened.catch(() => undefined);
      await Promise.race([opened, this.#left.promise]);
      const error = await this.#left.promise;
      if (error !== undefined) throw error;
      return this.#session?.conversation.id;
    } finally {
      for (const signal of SIGNALS) process.off(signal, this.#onSignal);
      process.off('SIGINT', this.#onInterrupt);
      await this.#end();
    }
  }

  /** Opens a conversation, unless the person leaves meanwhile. */
  async #open(open: () => Promise<Conversation>): Promise<void> {
    const conversation = await openWhenFree(open, (claim) => this.#sayWaiting(claim));
    if (this.#isLeft) return await conversation.close();
    await this.#show(conversation);
  }

  #sayWaiting({ owner, wait }: OtherClaim): void {
    const { screen } = this.#deps;
    const seconds = Math.max(1, Math.ceil(wait / 1_000));
    const line = `it belongs to ${plainLine(owner)}, which may have ended; trying again in ${seconds} s`;
    screen.log.write(
      wrapWords(`· ${line}`, (screen.log.columns ?? 80) - 1)
        .map((row) => `${row}\n`)
        .join(''),
    );
    screen.show({ ...EMPTY_VIEW, status: ['waiting …'] });
  }

  get #current(): ChatSession {
    if (this.#session === undefined) throw new Error('the chat has no conversation yet');
    return this.#session;
  }

  async #show(conversation: Conversation): Promise<void> {
    const { home, screen } = this.#deps;
    const session = new ChatSession({
      home,
      screen,
      conversation,
      onLost: (error) => {
        if (isConversationError(error) && LOST.has(error.code)) this.#left.resolve(error);
      },
    });
    const from = conversation.resumed ? await lastTurns(conversation) : 0;
    session.say(...headLines(conversation, home, { from, color: screen.color, columns: screen.log.columns ?? 80 }));
    await session.follow(from);
    this.#session = session;
    this.#deps.onShown(session);
    await session.approvals.update().catch((error: unknown) => session.fail(error));
    const standing = standingText(session);
    if (conversation.resumed && standing !== undefined) session.note(standing);
    session.show();
  }

  #take(text: string): void {
    this.#wish = 0;
    this.#deps.history?.add(text).catch((error: unknown) => this.#session?.fail(error));
    const asked = this.#session?.asked ?? { calls: [] };
    // in the order in which they were typed
    this.#lines = this.#lines
      .then(() => this.#handle(text, asked))
      .catch((error: unknown) => this.#session?.fail(error));
  }

  /** Handles a line that was typed while the screen asked this. */
  async #handle(text: string, { question: asked, calls }: AskedOnScreen): Promise<void> {
    const session = this.#current;
    const line = readLine(text);
    if (line.kind === 'command') {
      const switchTo = (id: string): Promise<ChatSession> => this.#switchTo(id);
      await runCommand(
        { ...this.#deps, session, switchTo, leave: () => this.#wishToLeave() },
        line.name,
        line.argument,
      );
    } else if (calls.length > 0 || session.approvals.question !== undefined)
      await session.approvals.answer(text, calls);
    else if (asked !== undefined && asked !== session.question?.id)
      session.note('the question that you answered has ended, so nothing was sent; Up shows your line again');
    else if (asked !== undefined) {
      await session.conversation.answerCall(asked, { content: line.text });
      session.run.go();
    } else {
      await session.conversation.sendMessage(line.text);
      session.run.go();
      await nameByMessage(session.conversation, line.text);
    }
    session.show();
  }

  async #switchTo(id: string): Promise<ChatSession> {
    const before = this.#current;
    const conversation = await this.#deps.home.open(id);
    before.detach();
    await before.conversation.close();
    await this.#show(conversation);
    return this.#current;
  }

  #interrupt(): void {
    if (this.#session === undefined) this.#left.resolve(undefined);
    else if (!this.#current.run.stop()) this.#current.note('Ctrl-D or /quit leaves; the conversation stays');
  }

  /** Leaves; while the agent works in this process, only at the second request. */
  #wishToLeave(): void {
    const now = Date.now();
    const stopsWork = this.#session?.run.isWorking === true && !this.#deps.home.runsOn;
    if (!stopsWork || now - this.#wish < CONFIRM || process.stdin.readableEnded) this.#left.resolve(undefined);
    else this.#current.note('the agent is working, and leaving stops it: press Ctrl-D again to leave, or wait');
    this.#wish = now;
  }

  async #end(): Promise<void> {
    const { home, screen } = this.#deps;
    this.#isLeft = true;
    screen.close();
    const session = this.#session;
    if (session === undefined) return;
    const wasWorking = session.run.isWorking;
    try {
      if (wasWorking && !home.runsOn) await session.conversation.interrupt();
    } finally {
      session.detach();
      await session.conversation.close();
    }
    const { dim } = pc.createColors(screen.color);
    const goesOn = wasWorking && home.runsOn ? 'the agent continues there; ' : '';
    screen.log.write(
      `${dim(plainLine(`· ${goesOn}reopen with: ${home.commandFor(session.conversation.id, 'chat')}`))}\n`,
    );
  }
}

const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/** Errors after which the conversation belongs to another process, or cannot be stored. */
const LOST: ReadonlySet<string> = new Set(['FENCED', 'CLOSED', 'STORE_FAILED', 'LOG_CHANGED', 'NOT_FOUND']);

function headLines(
  { id, state, events, resumed }: Conversation,
  home: ChatHome,
  { from, color, columns }: { readonly from: number; readonly color: boolean; readonly columns: number },
): readonly string[] {
  const { bold, dim } = pc.createColors(color);
  const title = state.title === null ? '' : ` ${plainLine(state.title)}`;
  const rows = [`${home.place} · ${modelOf(state)} · /help lists commands`];
  if (home.notice !== undefined) rows.push(home.notice);
  if (resumed && from > 0)
    rows.push(`… ${from} of ${events.length} events before this: ${home.commandFor(id, 'show')}`);
  const faint = rows.flatMap((row) => wrapWords(plainLine(row), columns - 1).map((part) => dim(part)));
  return [`${bold(id)}${title}`, ...faint, ''];
}

/** Returns a note about the state of a reopened conversation that has not ended. */
function standingText({ approvals, conversation: { state }, run }: ChatSession): string | undefined {
  if (run.isWorking) return 'the agent is working; this chat follows it';
  const status = state.executionStatus;
  if (status === 'waiting_for_confirmation' && approvals.question === undefined)
    return 'calls that you approved have not run yet; /run runs them, a message rejects them';
  if (hasUnansweredMessage(state))
    return 'its last message has no answer yet; /run lets the agent answer it, or type a message';
  if (status === 'paused') return 'it was stopped in the middle of its work; /run continues it, or type a message';
  if (status === 'error' || status === 'stuck') return 'it stopped with an error; /run tries again, or type a message';
  return undefined;
}
