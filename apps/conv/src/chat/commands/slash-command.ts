import type { ChatHome } from '../home/chat-home.ts';
import type { ChatScreen, CompletionValue } from '../screen/chat-screen.ts';
import type { ChatSession } from '../session/chat-session.ts';

/** The chat as its commands use it. */
export interface ChatContext {
  readonly home: ChatHome;
  readonly screen: ChatScreen;
  /** The conversation on the screen. */
  readonly session: ChatSession;
  /** Shows another conversation, and closes this one. Rejects as opening does; then this conversation stays. */
  readonly switchTo: (id: string) => Promise<ChatSession>;
  /** Ends the chat. */
  readonly leave: () => void;
}

/** A command of a chat: a line that begins with a slash. */
export interface SlashCommand {
  readonly name: string;
  /** Its argument as help shows it; absent: it takes none. */
  readonly argument?: string;
  readonly about: string;
  /** Returns values for its argument, for completion. */
  readonly values?: (chat: Pick<ChatContext, 'home' | 'session'>) => Promise<readonly CompletionValue[]>;
  /** Executes the command. Rejects with an error that says what is expected. */
  run(chat: ChatContext, argument: string): Promise<void>;
}

/** Error for a wrong line of the user. The message says what was expected. */
export class ChatMistake extends Error {
  override readonly name = 'ChatMistake';
}
