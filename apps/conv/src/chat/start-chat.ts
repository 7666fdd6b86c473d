import process from 'node:process';

import { type Conversation, errorText } from '@conv/core';
import { plainLine } from '@conv/visualize/text';

import { Chat } from './chat.ts';
import { commands } from './commands/slash-commands.ts';
import { InputHistory } from './history/input-history.ts';
import type { ChatHome } from './home/chat-home.ts';
import type { SlashCommand } from './commands/slash-command.ts';
import type { ChatScreen, CompletionValue } from './screen/chat-screen.ts';
import { PlainScreen } from './screen/plain-screen.ts';
import type { ChatSession } from './session/chat-session.ts';

/**
 * Runs a chat in this terminal: with an input below the log if the terminal can move its cursor, else line by line. Resolves with
 * the id of the last conversation when the user leaves, or with `undefined` if that was before `open` resolved. Rejects as `open`
 * does, and with the error by which this process lost the conversation.
 */
export async function startChat(home: ChatHome, open: () => Promise<Conversation>): Promise<string | undefined> {
  const history = await historyOf(home);
  let session: ChatSession | undefined;
  const screen = await screenFor(home, history, () => session);
  const onShown = (shown: ChatSession): void => void (session = shown);
  return await new Chat({ home, screen, history, onShown }).talk(open);
}

/** True if standard input and output are the same terminal. */
export function isTalkable(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

async function screenFor(
  home: ChatHome,
  history: InputHistory | undefined,
  current: () => ChatSession | undefined,
): Promise<ChatScreen> {
  const color = isColored(process.env);
  if (process.env['TERM'] === 'dumb') return new PlainScreen(color);
  // so that what is typed meanwhile arrives as keys
  process.stdin.setRawMode(true);
  // the library of the input is loaded for terminals that use it
  const { RichScreen } = await import('./screen/rich-screen.ts');
  return new RichScreen({
    color,
    history: history?.texts ?? [],
    completions: commands.map(({ name, about, values }) => ({
      name,
      about,
      ...(values && { values: () => valuesOf(values, home, current()) }),
    })),
  });
}

/** Without a conversation there is nothing to complete; a failure must not disturb a person who types. */
async function valuesOf(
  values: NonNullable<SlashCommand['values']>,
  home: ChatHome,
  session: ChatSession | undefined,
): Promise<readonly CompletionValue[]> {
  return session === undefined ? [] : await values({ home, session }).catch(() => []);
}

/** The history is a convenience: without its file the chat works and says why. */
async function historyOf({ historyFile }: ChatHome): Promise<InputHistory | undefined> {
  if (historyFile === undefined) return undefined;
  try {
    return await InputHistory.open(historyFile);
  } catch (error) {
    process.stderr.write(`· the input history cannot be read: ${plainLine(errorText(error))}\n`);
    return undefined;
  }
}

function isColored({ FORCE_COLOR: force, NO_COLOR: none, TERM: terminal }: NodeJS.ProcessEnv): boolean {
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return (none === undefined || none === '') && terminal !== 'dumb';
}
