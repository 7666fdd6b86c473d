import { statSync } from 'node:fs';
import { join } from 'node:path';

import { checks, ConversationError } from '@conv/core';

/** Address of an engine of containers: a socket in the file system, or a port of this machine. */
export type EngineAddress = { readonly socket: string } | { readonly origin: string };

/** Returns the address that a text names. Throws `INVALID_INPUT` for another machine, whose ports are out of reach here. */
export function parseEngineAddress(text: string): EngineAddress {
  const socket = /^(?:unix:\/\/)?(\/.+)$/.exec(text)?.[1];
  if (socket !== undefined) return { socket };
  const url = URL.canParse(text) ? new URL(text.replace(/^tcp:/, 'http:')) : undefined;
  if (url && /^https?:$/.test(url.protocol) && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname))
    return { origin: url.origin };
  throw checks.invalid(
    checks.wrongValue(
      'ContainerWorkspace: engine',
      "the socket of Docker or Podman on this machine, such as 'unix:///run/podman/podman.sock'",
      text,
    ),
  );
}

/** Returns the address of the engine of this machine. Throws `UNREACHABLE`, which names the places where no socket is. */
export function findEngine(environment: NodeJS.ProcessEnv = process.env): EngineAddress {
  const named = environment['DOCKER_HOST'] || environment['CONTAINER_HOST'];
  if (named) return parseEngineAddress(named);
  const own = environment['XDG_RUNTIME_DIR'];
  const places = [
    ...(own ? [join(own, 'docker.sock'), join(own, 'podman/podman.sock')] : []),
    '/var/run/docker.sock',
    '/run/podman/podman.sock',
  ];
  const socket = places.find((place) => statSync(place, { throwIfNoEntry: false })?.isSocket());
  if (socket !== undefined) return { socket };
  throw new ConversationError(
    'UNREACHABLE',
    `expected the socket of Docker or Podman, found none at ${places.join(', ')}; start one, for example by systemctl --user start podman.socket, or give engine`,
  );
}
