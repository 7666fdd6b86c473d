import type { Executor } from '../tool/tool.ts';

/** A folder on this machine, or of an executor, that an agent works in. Chooses the local runtime. */
export interface LocalWorkspaceDescription {
  readonly kind: 'LocalWorkspace';
  /** Absolute. */
  readonly workingDir: string;
  /** Acts for the tools, see `executeIn` of `@conv/remote`. Default: tools act on this machine. */
  readonly executor?: Executor;
}

/** An agent server and a folder there. Chooses the remote runtime. */
export interface RemoteWorkspaceDescription {
  readonly kind: 'RemoteWorkspace';
  readonly host: string;
  readonly workingDir: string;
}

/** The place where an agent works; decides which runtime holds the conversation. A string is a folder on this machine. */
export type WorkspaceInput = string | LocalWorkspaceDescription | RemoteWorkspaceDescription;
