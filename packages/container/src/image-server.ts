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
