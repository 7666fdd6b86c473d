import type { Conversation } from '@conv/core';
import { TerminalVisualizer } from '@conv/visualize';
import { plainLine } from '@conv/visualize/text';
import { timeline, type TimelineBlock } from '@conv/visualize/timeline';

import { fitted } from '../session/wrap-words.ts';
import { statusFacts } from '../session/status-facts.ts';
import { ChatMistake, type SlashCommand } from './slash-command.ts';

/** Events whose numbers are listed. */
const LISTED = 40;
/** Columns of a line of the list. */
const WIDEST = 100;

/** Shows the conversation as it was after an event, or the numbers of the last events. */
export const at: SlashCommand = {
  name: 'at',
  argument: '[number]',
  about: 'look back at an event, or list the last',
  async run({ screen, session }, argument) {
    const { conversation } = session;
    if (argument === '') {
      session.say(...(await lastLines(conversation, screen.log.columns ?? 80)));
      session.note('/at NUMBER looks back, /fork NUMBER begins a new conversation there');
      return;
    }
    const number = eventNumber('/at', argument, conversation);
    const { state } = await conversation.history.at({ event: number });
    const facts = statusFacts(state, { working: undefined, call: undefined, isAway: false });
    session.note(`after event ${number} of ${conversation.events.length - 1}: ${facts.join(' · ')}`);
    const event = await conversation.events.at(number);
    const shown = new TerminalVisualizer({
      stream: screen.log,
      color: screen.color ? 'always' : 'never',
      statusLine: false,
    });
    if (event === undefined) session.note(`event ${number} was lost to damage`);
    else await shown.onEvent(event);
    shown.close();
    for (const { title, status } of state.taskList) session.note(`task ${status}: ${title}`);
  },
};

/** Starts a new conversation with the events of this one, and goes on in it. */
export const fork: SlashCommand = {
  name: 'fork',
  argument: '[number]',
  about: 'go on in a copy, of all or up to an event',
  async run({ session, switchTo }, argument) {
    const { conversation } = session;
    if (session.run.isWorking) throw new ChatMistake('/fork: the agent works; Ctrl-C pauses it first');
    if (argument === '') {
      await switchTo(await conversation.history.fork());
      return;
    }
    const number = eventNumber('/fork', argument, conversation);
    const from = await conversation.events.idAt(number);
    if (from === undefined) throw new ChatMistake(`/fork: event ${number} was lost to damage; take one before it`);
    await switchTo(await conversation.history.fork({ from }));
  },
};

function eventNumber(command: string, text: string, { events }: Conversation): number {
  const last = events.length - 1;
  const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= last) return number;
  const expected = last < 0 ? 'an event, and there is none yet' : `the number of an event from 0 to ${last}`;
  throw new ChatMistake(`${command}: expected ${expected}, found ${JSON.stringify(text)}; /at lists the last ones`);
}

async function lastLines({ events }: Conversation, columns: number): Promise<readonly string[]> {
  const start = Math.max(0, events.length - LISTED);
  const last = await events.slice(start);
  const blocks = timeline(last.map((event, offset) => ({ index: start + offset, event })));
  return blocks
    .slice(-LISTED / 2)
    .map((block) => fitted(`${String(block.index).padStart(6)}  ${titleOf(block)}`, Math.min(columns - 1, WIDEST)));
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
  // far more than fits, so that a long text costs nothing
  return plainLine(words[block.kind]().slice(0, 500)).trim();
}
