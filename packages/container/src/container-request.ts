import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { abandonedTimeoutOf, type ContainerWorkspaceOptions } from './container-options.ts';
import type { ImageServer } from './image-server.ts';
import { hasOpenHandsKey, openHandsEnvironment, type OpenHandsKeys } from './openhands-server.ts';
import { repositoryMounts } from './repository-mounts.ts';
import { digestsOf } from './server/server-key.ts';

/** The port at which the server listens in a container with a network of its own. */
const SERVER_PORT = 8000;

/** The variable with the digests of the server's key. */
const DIGESTS = 'CONV_SESSION_KEY_DIGESTS_0';

/** The folder of the container's volume: conversations, settings and the home of agents. */
export const DATA = '/data';

/** Values of a container that is to be made. */
export interface NewContainer {
  readonly options: ContainerWorkspaceOptions;
  readonly labels: Readonly<Record<string, string>>;
  readonly volume: string;
  readonly server: ImageServer;
  readonly keys: OpenHandsKeys;
  /** The port of the server on this machine. */
  readonly port: number;
  /** `uid:gid`; `undefined` for the user of the image. */
  readonly user: string | undefined;
  /** True to give the user of the container the number that this user has on the machine. */
  readonly mapUser: boolean;
}

/** Returns the folder in which the agents of a container work. */
export function workingDirectory({
  folder,
  target = '/workspace',
}: Pick<ContainerWorkspaceOptions, 'folder' | 'target'>): string {
  return folder === undefined ? `${DATA}/workspace` : target;
}

/** True if the server of a container with these variables knows this key. */
export function knowsKey(environment: readonly string[], key: string): boolean {
  return environment.includes(`${DIGESTS}=${digestsOf(key)}`) || hasOpenHandsKey(environment, key);
}

/** Returns the body of the request that makes a container. It closes everything that the server and its agents do not need. */
export function containerRequest(container: NewContainer): object {
  const { options, labels, port, server, user } = container;
  const onHost = options.network === 'host';
  const listening = onHost ? { host: '127.0.0.1', port } : { host: '0.0.0.0', port: SERVER_PORT };
  const ports = [...(onHost ? [] : [SERVER_PORT]), ...(options.ports ?? [])];
  return {
    Image: options.image,
    Labels: labels,
    Env: Object.entries(environmentOf(container, listening)).map(([name, value]) => `${name}=${value}`),
    ...(server === 'openhands' && { Cmd: ['--host', listening.host, '--port', String(listening.port)] }),
    ...(user !== undefined && { User: user }),
    ExposedPorts: Object.fromEntries(ports.map((each) => [`${each}/tcp`, {}])),
    HostConfig: {
      ...confinement(options, server),
      ...(options.runtime !== undefined && { Runtime: options.runtime }),
      ...(container.mapUser && { UsernsMode: 'keep-id' }),
      NetworkMode: options.network ?? 'bridge',
      PortBindings: Object.fromEntries(
        ports.map((each) => [
          `${each}/tcp`,
          [{ HostIp: '127.0.0.1', HostPort: each === SERVER_PORT ? String(port) : '' }],
        ]),
      ),
      Mounts: [{ Type: 'volume', Source: container.volume, Target: DATA }, ...folderMounts(options)],
    },
  };
}

function folderMounts(options: ContainerWorkspaceOptions): readonly object[] {
  if (options.folder === undefined) return [];
  const [folder, target] = [resolve(options.folder), workingDirectory(options)];
  return [{ Type: 'bind', Source: folder, Target: target }, ...repositoryMounts(folder, target)];
}

function environmentOf(
  { options, keys, server }: NewContainer,
  { host, port }: { readonly host: string; readonly port: number },
): Readonly<Record<string, string>> {
  const workspace = { OH_WORKSPACE_PATH: workingDirectory(options) };
  if (server === 'openhands') return { ...openHandsEnvironment(options, keys, DATA), ...workspace };
  const abandoned = abandonedTimeoutOf(options);
  return {
    ...options.environment,
    CONV_HOST: host,
    CONV_PORT: String(port),
    [DIGESTS]: digestsOf(keys.key),
    ...workspace,
    ...(options.executor === true && { CONV_EXECUTOR: 'true' }),
    ...(abandoned !== undefined && { CONV_ABANDONED_SECONDS: String(abandoned / 1000) }),
  };
}

function confinement({ limits = {} }: ContainerWorkspaceOptions, server: ImageServer): object {
  // OpenHands' server is larger, and its program unpacks itself into `/tmp` and runs there
  const [factor, run] = server === 'openhands' ? [2, 'exec,'] : [1, ''];
  const { processors = 2, processes = 512, openFiles = 1024 } = limits;
  const { memory = factor * 2 ** 31, temporaryFiles = factor * 2 ** 29 } = limits;
  return {
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    PidsLimit: processes,
    Memory: memory,
    // memory and swap together
    MemorySwap: memory,
    NanoCpus: Math.round(processors * 1e9),
    Ulimits: [{ Name: 'nofile', Soft: openFiles, Hard: openFiles }, ...processLimit()],
    Tmpfs: { '/tmp': `rw,${run}nosuid,nodev,mode=1777,size=${temporaryFiles}` },
  };
}

/**
 * Returns a limit of processes of the container's user that every engine may give: its own is this process's, or the number of
 * processes of the system. Without one Podman asks for more than it may. The processes of a container are limited by `PidsLimit`.
 */
function processLimit(): readonly object[] {
  try {
    const own = /^Max processes\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity;
    const most = Math.min(Number(own), Number(readFileSync('/proc/sys/kernel/pid_max', 'utf8')));
    return [{ Name: 'nproc', Soft: most, Hard: most }];
  } catch {
    // a system without these files, whose engine runs in a machine of its own
    return [];
  }
}
