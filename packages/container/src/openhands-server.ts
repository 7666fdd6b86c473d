import { checks } from '@conv/core';

import type { ContainerWorkspaceOptions } from './container-options.ts';
import type { ImageFound } from './engine/engine-client.ts';

/** The agent server that an image starts: ours, or that of OpenHands. */
export type ImageServer = 'conv' | 'openhands';

/** Milliseconds within which a server must be ready. That of OpenHands loads for ten seconds on two processors. */
export const START_TIMEOUTS: Readonly<Record<ImageServer, number>> = { conv: 60_000, openhands: 180_000 };

/** Matches the entry points of OpenHands' images: its program, or its module of Python. */
const OPENHANDS = /openhands[-._]agent[-._]server/;

/** Matches a user of an image that is root, by name, by number or by default. */
const ROOT = /^(?:root|0+)?(?::|$)/;

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

/**
 * Returns the agent server that an image starts, by its entry point. Throws `INVALID_INPUT` for an option that this server does not
 * have, and for an image of root if no user is given.
 */
export function serverOf({ Config }: ImageFound, options: ContainerWorkspaceOptions): ImageServer {
  const { image, user, folder } = options;
  if (user === undefined && folder === undefined && ROOT.test(Config.User ?? ''))
    throw checks.invalid(
      `ContainerWorkspace: image: expected an image with a user, found that ${image} runs as root, whose commands could read the server's memory; give user, such as '1000:1000'`,
    );
  if (!OPENHANDS.test((Config.Entrypoint ?? []).join(' '))) return 'conv';
  for (const name of ['executor', 'abandonedTimeout'] as const)
    if (options[name] !== undefined && options[name] !== false)
      throw checks.invalid(
        `ContainerWorkspace: ${name}: expected an image with the server of @conv/agent-server, found that of OpenHands in ${image}; leave ${name} out, or give another image`,
      );
  return 'openhands';
}

/** The keys of OpenHands' server. */
export interface OpenHandsKeys {
  /** Opens the server. */
  readonly key: string;
  /** Encrypts what it stores. It is the same for each container that has the volume. */
  readonly storageKey: string;
}

/**
 * Returns the variables of OpenHands' server, whose volume is at `data`. It can be given its keys in no other way, so everyone who may use the
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
