import type { Conversation } from '@conv/core';
import { TerminalVisualizer } from '@conv/visualize';
import { plainLine } from '@conv/visualize/text';
import { timeline, type TimelineBlock } from '@conv/visualize/timeline';

import type { ChatHome } from '../home/chat-home.ts';
import type { CompletionValue } from '../screen/chat-screen.ts';
import type { ChatSession } from '../session/chat-session.ts';
import { fitted } from '../../terminal/wrap-words.ts';
import { statusFacts } from '../session/status-facts.ts';
import { type ChatContext, ChatMistake, type SlashCommand } from './slash-command.ts';

/** Events whose numbers are listed. */
const LISTED = 40;
/** Columns of a line of the list. */
const WIDEST = 100;

/** Shows the conversation as it was after an event, or the numbers of the last events. */
export const at: SlashCommand = {
  name: 'at',
  argument: '[number]',
  about: 'look back at an event, or list the last',
  values: numbers,
  async run({ screen, session }, argument) {
    const { conversation } = session;
    if (argument === '') {
      session.say(...(await lastLines(conversation, screen.log.columns ?? 80)));
      session.note('/at NUMBER looks back, /fork NUMBER starts a fork there');
      return;
    }
    const number = eventNumber('/at', argument, conversation);
    const place = `event ${number} of ${conversation.events.length - 1}`;
    // a server without commits has the event, but not the state after it
    const state = conversation.features.commits ? (await conversation.history.at({ event: number })).state : undefined;
    const facts = state && statusFacts(state, { working: undefined, call: undefined, isAway: false });
    session.note(facts ? `after ${place}: ${facts.join(' · ')}` : `${place}; this server keeps no earlier states`);
    const event = await conversation.events.at(number);
    const shown = new TerminalVisualizer({
      stream: screen.log,
      color: screen.color ? 'always' : 'never',
      statusLine: false,
    });
    if (event === undefined) session.note(`event ${number} was lost to damage`);
    else await shown.onEvent(event);
    shown.close();
    for (const { title, status } of state?.taskList ?? []) session.note(`task ${status}: ${title}`);
  },
};

/** Forks the conversation, and continues in the fork. */
export const fork: SlashCommand = {
  name: 'fork',
  argument: '[number]',
  about: 'continue in a fork, of all events or up to one',
  values: numbers,
  async run({ home, session, switchTo }, argument) {
    const { conversation } = session;
    const goOnIn = async (id: string): Promise<void> => {
      const isKeyless = conversation.features.keylessForks === true;
      const forked = await switchTo(id);
      if (isKeyless) await giveKey(home, forked);
    };
    // a run that asked a question, or has its answer, is about to end
    if (conversation.state.executionStatus !== 'running') await session.run.settled();
    if (session.run.isWorking) throw new ChatMistake('/fork: the agent is working; pause it first with Ctrl-C');
    if (argument === '') {
      await goOnIn(await conversation.history.fork());
      return;
    }
    const number = eventNumber('/fork', argument, conversation);
    const from = await conversation.events.idAt(number);
    if (from === undefined) throw new ChatMistake(`/fork: event ${number} was lost to damage; take one before it`);
    await goOnIn(await conversation.history.fork({ from }));
  },
};

/** Gives a fork the key of its model, which its server did not copy. */
async function giveKey(home: ChatHome, session: ChatSession): Promise<void> {
  const { conversation } = session;
  const llm = home.modelOfFork?.(conversation);
  if (llm === undefined)
    session.note(
      'this server copies no key of a model into a fork; set LLM_API_KEY for its provider, then /model NAME gives it one',
    );
  else await conversation.settings.setModel(llm);
}

function eventNumber(command: string, text: string, { events }: Conversation): number {
  const last = events.length - 1;
  const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= last) return number;
  const expected = last < 0 ? 'an event, and there is none yet' : `the number of an event from 0 to ${last}`;
  throw new ChatMistake(`${command}: expected ${expected}, found ${JSON.stringify(text)}; /at lists the last ones`);
}

/** The last events with their numbers and titles, the newest last. */
async function lastEvents({ events }: Conversation): Promise<readonly (readonly [number: string, title: string])[]> {
  const start = Math.max(0, events.length - LISTED);
  const last = await events.slice(start);
  const blocks = timeline(last.map((event, offset) => ({ index: start + offset, event })));
  return blocks.slice(-LISTED / 2).map((block) => [String(block.index), titleOf(block)] as const);
}

async function lastLines(conversation: Conversation, columns: number): Promise<readonly string[]> {
  const last = await lastEvents(conversation);
  return last.map(([number, title]) => fitted(`${number.padStart(6)}  ${title}`, Math.min(columns - 1, WIDEST)));
}

/** The numbers of the last events for completion, the newest first. */
async function numbers({ session }: Pick<ChatContext, 'session'>): Promise<readonly CompletionValue[]> {
  const last = await lastEvents(session.conversation);
  return last.toReversed().map(([value, about]) => ({ value, about: about.slice(0, WIDEST) }));
}

function titleOf(block: TimelineBlock): string {
  const words: Record<TimelineBlock['kind'], () => string> = {
    message: () => (block.kind === 'message' ? `${block.from}: ${block.text}` : ''),
    call: () => (block.kind === 'call' ? `${block.toolName} ${block.title}` : ''),
    error: () => (block.kind === 'error' ? `error ${block.code}` : ''),
    condensation: () => (block.kind === 'condensation' ? `condensed ${block.hidden} events` : ''),
    hook: () => (block.kind === 'hook' ? `hook ${block.hook}` : ''),
    notice: () => (block.kind === 'notice' ? `${block.title} ${block.text}` : ''),
  };
  // far more than fits on a line, so that a long text costs nothing
  return plainLine(words[block.kind]().slice(0, 500)).trim();
}
