import process from 'node:process';

import type { Conversation, RunResult } from '@conv/core';
import { approvalFor, standingApprovals } from '@conv/turns';
import { TerminalVisualizer } from '@conv/visualize';
import { plainLine, plainText } from '@conv/visualize/text';

import { afterDecision, APPROVES_NOTHING } from '../conversation/run-approvals.ts';
import type { ChatHome } from './home/chat-home.ts';
import { callLines } from './session/call-question.ts';
import { childLine, type ChildNews } from './session/child-news.ts';
import { nameByMessage } from './session/name-by-message.ts';

/** The end of a chat without a terminal. */
export type PipedOutcome = 'answered' | 'waiting' | 'stopped' | 'failed';

/**
 * Sends a message and lets the agent work: the answer alone goes to standard output, everything else to standard error. Text for
 * a pipe stays exact; on a terminal it is made safe. Ctrl-C pauses, twice interrupts. Closes the conversation. Rejects as
 * `Conversation.run` does.
 */
export async function pipedChat(home: ChatHome, conversation: Conversation, message: string): Promise<PipedOutcome> {
  const note = (line: string): boolean => process.stderr.write(`· ${plainLine(line)}\n`);
  const shown = new TerminalVisualizer({ stream: process.stderr, skipUserMessages: true });
  const stops = new Stops(conversation, note);
  const unwatch = home.connection?.watch((event) => {
    note(event === 'back' ? 'the server answers again' : `the server does not answer (${event.away}); trying again`);
  });
  const unwatchChildren = home.watchChildren(conversation, (news) => tellChild(home, news, note));
  try {
    note(`conversation ${conversation.id} ${home.place}`);
    if (home.notice !== undefined) note(home.notice);
    shown.initialize(conversation.state);
    conversation.subscribe(shown);
    await conversation.sendMessage(message);
    await nameByMessage(conversation, message);
    const result = await work(home, conversation, stops);
    shown.close();
    return await conclude(home, conversation, result, note);
  } finally {
    unwatch?.();
    unwatchChildren();
    stops[Symbol.dispose]();
    shown.close();
    await conversation.close();
  }
}

/** Says each step of a sub-agent: a pipe has no place below the log where only the last one would stand. */
function tellChild(home: ChatHome, news: ChildNews, note: (line: string) => void): void {
  process.stderr.write(`↳ ${childLine(news)}\n`);
  if (news.kind === 'ended' && news.waits)
    note(`its calls wait for you; decide with: ${home.commandFor(news.id, 'chat')}`);
}

/** Lets the agent work until a call needs an approval that no standing approval gives. */
async function work(home: ChatHome, conversation: Conversation, stops: Stops): Promise<RunResult> {
  for (let how = APPROVES_NOTHING; ; how = afterDecision(conversation)) {
    const result = await home.run(conversation, how);
    if (result.status !== 'waiting_for_confirmation' || stops.pressed) return result;
    const { state } = conversation;
    const kinds = standingApprovals(conversation);
    const undecided = state.pendingActions.filter(({ id }) => state.calls[id] === undefined);
    if (undecided.some((action) => approvalFor(action, kinds) === undefined)) return result;
    await conversation.approve(undecided.map(({ id }) => id));
  }
}

async function conclude(
  home: ChatHome,
  conversation: Conversation,
  { status, reason }: RunResult,
  note: (line: string) => void,
): Promise<PipedOutcome> {
  const back = home.commandFor(conversation.id, 'chat');
  if (status === 'waiting_for_confirmation') {
    for (const action of conversation.state.pendingActions)
      for (const line of callLines(action, { columns: process.stderr.columns ?? 100, color: false }))
        process.stderr.write(`${line}\n`);
    note(`waits for approval; decide with: ${back}`);
    return 'waiting';
  }
  if (status === 'paused') {
    note(`stopped; continue with: ${back}`);
    return 'stopped';
  }
  if (status !== 'finished' && status !== 'idle') {
    note(`${status}${reason === undefined ? '' : `: ${reason.detail}`}; continue with: ${back}`);
    return 'failed';
  }
  const answer = await conversation.finalResponse();
  await print(`${process.stdout.isTTY ? plainText(answer) : answer}${answer.endsWith('\n') ? '' : '\n'}`);
  note(`reply with: ${back}`);
  return 'answered';
}

/** Resolves when standard output has taken the text, so that the end of the program does not cut it. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Ctrl-C while the agent works. */
class Stops implements Disposable {
  pressed = false;
  readonly #listener: () => void;

  constructor(conversation: Conversation, note: (line: string) => void) {
    this.#listener = (): void => {
      const stop = this.pressed ? conversation.interrupt() : conversation.pause();
      note(this.pressed ? 'stopping at once' : 'pausing after this step; Ctrl-C again stops at once');
      this.pressed = true;
      stop.catch((error: unknown) => note(String(error)));
    };
    process.on('SIGINT', this.#listener);
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#listener);
  }
}
