import type { RemoteWorkspaceDescription } from '@conv/core';

import type { RemoteWorkspace } from './remote-workspace.ts';

/** A workspace whose server starts on first use, such as `ContainerWorkspace` of `@conv/container`. */
export interface StartableWorkspace extends RemoteWorkspaceDescription {
  /** Why the workspace has ended its server, in part of a sentence. `undefined` once it is started again, and if the server ended by itself. */
  readonly endReason?: string | undefined;
  /**
   * Resolves with the server when it is ready, also if it runs already. Called each time that a conversation opens, with its
   * `signal`; rejects its reason when it aborts.
   */
  start(options?: { readonly signal?: AbortSignal | undefined }): Promise<RemoteWorkspace>;
}

/** True if the workspace must be started before it is used. */
export function isStartable(workspace: RemoteWorkspaceDescription): workspace is StartableWorkspace {
  return 'start' in workspace && typeof workspace.start === 'function';
}
