import type { OutputStream } from '@conv/visualize';

/** The changing part of the screen, below the log. */
export interface ScreenView {
  /** The answer that the model is writing; empty without one. */
  readonly answer: string;
  /** The reasoning that the model is writing; empty without one. */
  readonly reasoning: string;
  /** The end of what the running tool prints. */
  readonly output: string;
  /** The last step of each sub-agent at work. */
  readonly children: readonly string[];
  /** Messages that wait until the open calls have ended. */
  readonly queued: readonly string[];
  /** The question that the next line answers. */
  readonly question: string | undefined;
  /** Facts of the status line, the most important first. */
  readonly status: readonly string[];
}

/** The view of a conversation at rest. */
export const EMPTY_VIEW: ScreenView = {
  answer: '',
  reasoning: '',
  output: '',
  children: [],
  queued: [],
  question: undefined,
  status: [],
};

/** Callbacks for actions of the user. */
export interface ScreenActions {
  /** Called with the submitted text, of one or more lines. Not empty. */
  readonly onText: (text: string) => void;
  /** Called for Ctrl-C on an empty input. */
  readonly onInterrupt: () => void;
  /** Called for Ctrl-D on an empty input, the end of standard input, or a signal to end. */
  readonly onLeave: () => void;
}

/** A value to complete, with a short description. */
export interface CompletionValue {
  readonly value: string;
  readonly about?: string;
}

/** A name to complete, with a short description. */
export interface Completion {
  readonly name: string;
  readonly about: string;
  /** Returns the values that the argument of this command may have. */
  readonly values?: () => Promise<readonly CompletionValue[]>;
}

/** The terminal as a chat uses it: a log that stays in the scrollback, and an input below it. */
export interface ChatScreen {
  /** The log; each write is whole lines. */
  readonly log: OutputStream;
  /** True if the log shows colours. */
  readonly color: boolean;
  /** Starts to read input. */
  start(actions: ScreenActions): void;
  /** Replaces the view, in which text of others may stand as it is. */
  show(view: ScreenView): void;
  /** Opens this text in the user's editor; the saved text becomes the input. Rejects when the editor fails. */
  edit(text?: string): Promise<void>;
  /** Restores the terminal. */
  close(): void;
}
