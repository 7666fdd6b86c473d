import type { ChatHome } from '../home/chat-home.ts';
import type { ChatScreen, CompletionValue } from '../screen/chat-screen.ts';
import type { ChatSession } from '../session/chat-session.ts';

/** The chat as its commands use it. */
export interface ChatContext {
  readonly home: ChatHome;
  readonly screen: ChatScreen;
  /** The conversation on the screen. */
  readonly session: ChatSession;
  /** Puts another conversation on the screen, and closes this one. Rejects as opening does; this one stays then. */
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
  /** Carries it out. Rejects with an error that says what is expected. */
  run(chat: ChatContext, argument: string): Promise<void>;
}

/** A mistake in a line of a person, with what was expected. */
export class ChatMistake extends Error {
  override readonly name = 'ChatMistake';
}
