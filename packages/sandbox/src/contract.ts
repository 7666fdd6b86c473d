/** A program to start, as `child_process.spawn` takes it. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The folders of a conversation whose programs are confined. */
export interface SandboxedWorkspace {
  /** The id of its conversation. Calls with the same id share a home and a `/tmp`. */
  readonly conversationId: string;
  /** The absolute folder that programs work in. */
  readonly workingDirectory: string;
  /** A folder with long output of tools, which programs may read. It is made if it is not there. */
  readonly sideDirectory?: string | undefined;
}

/** Confines the programs of one conversation. */
export interface Confinement {
  /** The rules for programs inside, in sentences for the model. */
  readonly rules: string;
  /**
   * Returns the start of the same program inside. Its standard streams and its terminal stay its own, and its exit code is passed
   * on. When the process that is started ends, so do all that it started. A `cwd` that is not inside becomes the workspace.
   * `shared`: absolute folders that the program reads and writes as well.
   */
  confine(start: ProgramStart, shared?: readonly string[]): ProgramStart;
  /** Removes the home and the `/tmp` with the last of their users. The programs inside must have ended. Idempotent. */
  close(): Promise<void>;
}

/** Confines programs: what they read, write and reach. */
export interface Sandbox {
  /** The name for people: `bubblewrap`. */
  readonly name: string;
  /**
   * Resolves with the confinement of a conversation. Rejects `ToolError` `UNSUPPORTED` if this machine cannot confine programs, and says
   * what is missing; `FAILED` if the workspace is no folder, or if the conversation is open with other folders.
   */
  open(workspace: SandboxedWorkspace): Promise<Confinement>;
}
