import type { ContainerWorkspaceOptions } from './container-options.ts';

/** The variable with the key of OpenHands' server. */
const KEY = 'OH_SESSION_API_KEYS_0';

/** The folders of the volume, and the variables by which OpenHands' server finds them. Its own are elsewhere, where the system is read-only. */
const FOLDERS = {
  HOME: 'home',
  OH_PERSISTENCE_DIR: 'settings',
  OH_CONVERSATIONS_PATH: 'conversations',
  OH_BASH_EVENTS_DIR: 'bash_events',
  OH_CONVERSATION_WORKTREE_ROOT: 'worktrees',
} as const;

/** The keys of OpenHands' server. */
export interface OpenHandsKeys {
  /** Opens the server. */
  readonly key: string;
  /** Encrypts what it stores. It is the same for each container that has the volume. */
  readonly storageKey: string;
}

/**
 * Returns the variables of OpenHands' server, whose volume is at `data`. It can be given its keys in no other way, so every user who may use the
 * engine sees them. Such a user can enter the container anyway.
 */
export function openHandsEnvironment(
  { environment = {} }: Pick<ContainerWorkspaceOptions, 'environment'>,
  { key, storageKey }: OpenHandsKeys,
  data: string,
): Readonly<Record<string, string>> {
  const folders = Object.entries(FOLDERS).map(([variable, name]) => [variable, `${data}/${name}`]);
  return {
    // an editor in the browser, to whose port nothing leads
    OH_ENABLE_VSCODE: 'false',
    ...environment,
    ...Object.fromEntries(folders),
    [KEY]: key,
    OH_SECRET_KEY: storageKey,
  };
}

/** True if a container with these variables has OpenHands' server with this key. */
export function hasOpenHandsKey(environment: readonly string[], key: string): boolean {
  return environment.includes(`${KEY}=${key}`);
}

/** Returns the names of folders that must be in the volume before OpenHands' server starts. */
export function openHandsFolders(): readonly string[] {
  return [...Object.values(FOLDERS), 'workspace'];
}
