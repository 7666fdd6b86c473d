import { checks, ConversationError } from '@conv/core';
import { secureRandom } from '@conv/core/platform';
import { lifeOf, ownIdentity, type ProcessIdentity } from '@conv/store-kit/system';

import type { ContainerFate, ContainerLimits, ContainerWorkspaceOptions } from './container-options.ts';
import type { ImageServer } from './image-server.ts';

/**
 * Labels of our containers and volumes: what a program needs to find a container again, and to see that it is not needed any more.
 * None of it is secret.
 */
const LABEL = {
  /** Marks our containers. */
  workspace: 'conv.workspace',
  /** The number from which the key of its server is derived. */
  key: 'conv.key-number',
  /** The port of the server on this machine. */
  port: 'conv.port',
  /** The agent server that the image starts. */
  server: 'conv.server',
  /** The fate that was chosen when it was made. */
  keep: 'conv.keep',
  /** The process that made it, for a container that is not to outlive it. */
  owner: 'conv.owner',
  /** The bytes in its folder when it was made, if it has a limit of them. */
  folderBytes: 'conv.folder-bytes',
  /** The options with which it was made. */
  options: 'conv.options',
} as const;

type Labels = Readonly<Record<string, string>>;

/** Facts about a container that its labels hold. */
export interface LabelledContainer {
  readonly keyNumber: string;
  readonly port: number;
  readonly server: ImageServer;
}

/** Options that a container keeps from its creation. */
const FIXED = [
  'image',
  'folder',
  'target',
  'user',
  'network',
  'ports',
  'limits',
  'runtime',
  'environment',
  'executor',
  'abandonedTimeout',
] as const;

/**
 * Returns the value of an option that a container keeps. It does not keep the limit of its disks, at which the program looks that uses it.
 */
function kept(name: (typeof FIXED)[number], value: unknown): unknown {
  if (name !== 'limits' || value === undefined) return value;
  const { disk: _, ...limits } = value as ContainerLimits;
  return Object.keys(limits).length > 0 ? limits : undefined;
}

/** Returns the labels of a new container, whose key has a new number. */
export function labelsFor(
  options: ContainerWorkspaceOptions,
  keep: ContainerFate,
  {
    port,
    server,
    folderBytes,
  }: Pick<LabelledContainer, 'port' | 'server'> & { readonly folderBytes?: number | undefined },
): Labels {
  return {
    [LABEL.workspace]: 'true',
    [LABEL.key]: Buffer.from(secureRandom(16)).toString('hex'),
    [LABEL.port]: String(port),
    [LABEL.server]: server,
    [LABEL.keep]: keep,
    [LABEL.owner]: JSON.stringify(ownIdentity()),
    ...(folderBytes === undefined ? {} : { [LABEL.folderBytes]: String(folderBytes) }),
    [LABEL.options]: JSON.stringify(Object.fromEntries(FIXED.map((name) => [name, kept(name, options[name])]))),
  };
}

/** Returns the filter of a list of containers, or volumes, that are not to outlive the process that made them. */
export function temporaryContainers(): readonly string[] {
  return [`${LABEL.workspace}=true`, `${LABEL.keep}=removed`];
}

/** True if the process that made a container or volume has ended. False if that process ran where this one cannot see it. */
export function isAbandoned(labels: Labels | null | undefined): boolean {
  try {
    return lifeOf(JSON.parse(labels?.[LABEL.owner] ?? '') as ProcessIdentity) === 'dead';
  } catch {
    return false;
  }
}

/**
 * Returns the facts in the labels of a container. Throws `EXISTS` for a container of another program, and `INVALID_INPUT` for a given
 * option that differs from the option of its creation.
 */
export function readLabels(
  name: string,
  labels: Labels,
  options: Partial<ContainerWorkspaceOptions>,
): LabelledContainer {
  const keyNumber = labels[LABEL.key];
  if (keyNumber === undefined)
    throw new ConversationError(
      'EXISTS',
      `expected a container of ContainerWorkspace under the name ${name}, found another one; give another name`,
    );
  const made = JSON.parse(labels[LABEL.options] ?? '{}') as Record<string, unknown>;
  for (const option of FIXED) {
    const given = kept(option, options[option]);
    if (given !== undefined && JSON.stringify(given) !== JSON.stringify(kept(option, made[option])))
      throw checks.invalid(
        `ContainerWorkspace: ${option}: expected the value with which the container ${name} was made, found another one; remove the container, or give another name`,
      );
  }
  const server = labels[LABEL.server] === 'openhands' ? 'openhands' : 'conv';
  return { keyNumber, port: Number(labels[LABEL.port]), server };
}

/** Returns the bytes that were in the folder of a container when its volume was made; `undefined` if they were not counted, or the label is damaged. */
export function folderBytesIn(labels: Labels | null | undefined): number | undefined {
  const bytes = labels?.[LABEL.folderBytes] ?? '';
  return /^\d+$/.test(bytes) ? Number(bytes) : undefined;
}

/** Returns the name of a container's volume. */
export function volumeOf(name: string): string {
  return `${name}-data`;
}

/**
 * True if a volume has just been made with `labels`; false if an earlier container of this name has left it. Throws `EXISTS` for a volume
 * of another program. `found`: the labels of the volume.
 */
export function isNewVolume(name: string, found: Labels, labels: Labels): boolean {
  if (found[LABEL.workspace] === undefined)
    throw new ConversationError(
      'EXISTS',
      `expected no volume of others under the name ${name}, found one, whose files a container would change; give another name`,
    );
  return found[LABEL.key] === labels[LABEL.key];
}
