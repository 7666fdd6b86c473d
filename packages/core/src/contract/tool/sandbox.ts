import type { ToolSession } from './tool.ts';

/** A program to start, as `child_process.spawn` takes it. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The beginning of a command of the terminal that asks to run outside of the sandbox. Its call waits for a person, whatever the policy says. */
export const OUTSIDE_SANDBOX = '# outside of the sandbox: ';

/** Confines the tools of one conversation. */
export interface Confinement {
  /** The rules for programs inside, in sentences for the model. */
  readonly rules: string;
  /**
   * Returns the start of the same program inside. Its standard streams and its terminal stay its own, and its exit code is passed
   * on. When the process that is started ends, so do all that it started. A `cwd` that is not inside becomes the workspace.
   * `more`: absolute folders that this program reads, or reads and writes, as well. Throws `ToolError` `FAILED` if a path to protect has become a link.
   */
  confine(start: ProgramStart, more?: Readonly<Partial<Record<'read' | 'write', readonly string[]>>>): ProgramStart;
  /** Returns, once, in part of a sentence, why the sandbox ended the program that was started as `pid`; else `undefined`. */
  endOf?(pid: number): string | undefined;
  /** Returns, in a sentence for the model, what was refused to a program that failed in `cwd`, as far as its output shows it. */
  refusedIn?(output: string, cwd: string): string | undefined;
  /**
   * Returns the path on this machine of the file that a program inside finds at the absolute `path`, without symbolic links, for
   * tools that act in this process. Nothing needs to be there yet. Throws `ToolError` `FAILED`, in words that the model can act on,
   * where a program inside has no such access. A place says nothing about what lies in a folder: each file needs its own.
   */
  place(path: string, access: 'read' | 'write'): string;
  /** Removes the home and the `/tmp` with the last of their users. The programs inside must have ended. Idempotent. */
  close(): Promise<void>;
}

/** Confines tools and the programs that they start: what they read, write and reach. */
export interface Sandbox {
  /** The name for people: `bubblewrap`. */
  readonly name: string;
  /**
   * Resolves with the confinement of a conversation. Calls with the same id share a home and a `/tmp`, and programs may read the side
   * directory, which is made. Rejects `ToolError` `UNSUPPORTED` if this machine cannot confine programs, and says what is missing;
   * `FAILED` if the workspace is no absolute folder, if a folder cannot be made, or if the conversation is open with other folders.
   */
  open(session: Pick<ToolSession, 'conversationId' | 'workingDirectory' | 'sideDirectory'>): Promise<Confinement>;
}
