import { isAbsolute } from 'node:path';

import { checks, checkOptionNames, type OptionNames } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { RequestOptions } from '@conv/remote';

import { parseEngineAddress } from './engine/engine-address.ts';

/** Limits of a container. */
export interface ContainerLimits {
  /** Bytes of memory; swap is not added. A process that needs more is killed. Default 2 GiB; 4 GiB for OpenHands' server. */
  readonly memory?: number;
  /** Number of processors, also a part of one, 0.01 at least. Default 2. */
  readonly processors?: number;
  /** Number of processes and threads. Default 512. */
  readonly processes?: number;
  /** Number of files that each process holds open. Default 1024. */
  readonly openFiles?: number;
  /** Bytes of `/tmp`, which is in memory and counts there too. Default 512 MiB; 1 GiB for OpenHands' server. */
  readonly temporaryFiles?: number;
  /**
   * Bytes of the disks that the container may take. Before each start this object counts what it keeps: the files in its volume, and in `folder` those beyond its
   * beginning. While it uses the container, the free space of each disk may shrink by the rest, also by what others write there. Beyond that the container is killed; its
   * files stay, and it starts again with its next use, with an eighth of the limit and 128 MiB at least, but not more than the limit. Default: no limit.
   */
  readonly disk?: number;
}

/** Fate of a container when its workspace closes. */
export type ContainerFate = 'removed' | 'stopped' | 'running';

/** The image of a container, and what it gets. */
export interface ContainerWorkspaceOptions {
  /**
   * An image that the engine has, with our agent server, as `npm run image` and `apps/agent-server/Dockerfile` make it, or with that of
   * OpenHands, such as `ghcr.io/openhands/agent-server`. The entry point of the image tells which.
   */
  readonly image: string;
  /**
   * Name of the container, by which this and other programs of this user find it again: letters, digits, `_`, `.` and `-`. Without
   * a name nothing can find it, and `keep` is `removed`.
   */
  readonly name?: string;
  /**
   * Fate of the container and of its volume when the workspace closes. `removed`: both go, also at the next start after this program
   * was killed. `stopped`: conversations and files stay for the next start. `running`: runs go on. Default `removed`.
   */
  readonly keep?: ContainerFate;
  /**
   * Absolute path of a folder of this machine, in which agents then work. On Linux it leads through no symbolic link. The container runs as the owner of this folder.
   * Default: a folder in the container's volume.
   */
  readonly folder?: string;
  /** Absolute path of `folder` in the container. Default `/workspace`. */
  readonly target?: string;
  /**
   * User of the container, `uid` or `uid:gid`. It is not root, whose commands could read the server's memory. Default: the owner of
   * `folder`, or the user of the image.
   */
  readonly user?: string;
  /** Variables for the server and the commands of its agents. Every user of the engine can read them. Default none. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Network of the container: `bridge`, `host`, or the name of a network of the engine. `host` also opens every service of this
   * machine's loopback to agents. Default `bridge`.
   */
  readonly network?: string;
  /** Ports of programs in the container, which this machine then reaches; see `addressOf`. Default none. */
  readonly ports?: readonly number[];
  readonly limits?: ContainerLimits;
  /** Name of the engine's program that runs containers, such as `runc` or `runsc`. Default: that of the engine. */
  readonly runtime?: string;
  /** Socket of Docker or Podman on this machine. Default: `DOCKER_HOST`, `CONTAINER_HOST`, or the usual places. */
  readonly engine?: string;
  /** Milliseconds within which the server must be ready after the start of the container. Default 60 s; 180 s for OpenHands' server. */
  readonly startTimeout?: number;
  /**
   * Milliseconds after which the container ends by itself when its program has been killed. Default: ten minutes for a container that only this
   * program uses, which is one without a name, and an executor whose `keep` is not `running`; never for the others.
   */
  readonly abandonedTimeout?: number;
  /**
   * File with the secret from which keys of servers in containers with a name are derived; made if missing. Default
   * `conv/container.key` in `XDG_STATE_HOME` or `~/.local/state`.
   */
  readonly keyFile?: string;
  /**
   * True for a container that only executes, as the server of `executeIn` of `@conv/remote`: its server has no conversations, and no key
   * of a model comes into it. Default false.
   */
  readonly executor?: boolean;
  /** Timeouts of answers, and retries of requests to the server. */
  readonly requests?: RequestOptions;
  /** Clock, timers and ids. Default: those of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<ContainerWorkspaceOptions> = {
  image: true,
  name: true,
  keep: true,
  folder: true,
  target: true,
  user: true,
  environment: true,
  network: true,
  ports: true,
  limits: true,
  runtime: true,
  engine: true,
  startTimeout: true,
  abandonedTimeout: true,
  keyFile: true,
  executor: true,
  requests: true,
  platform: true,
};

const LIMITS: OptionNames<ContainerLimits> = {
  memory: true,
  processors: true,
  processes: true,
  openFiles: true,
  temporaryFiles: true,
  disk: true,
};

/** Ten minutes: a program that is stopped in a debugger for less keeps its container. */
const ABANDONED_AFTER = 600_000;

const FATES: Readonly<Record<ContainerFate, true>> = { removed: true, stopped: true, running: true };

/** Milliseconds after which the server of a container whose program was killed ends by itself; `undefined`: never. */
export function abandonedTimeoutOf(options: ContainerWorkspaceOptions): number | undefined {
  const { name, executor = false, keep, abandonedTimeout } = options;
  const isShared = keep === 'running' || (name !== undefined && !executor);
  const timeout = abandonedTimeout ?? (isShared ? Infinity : ABANDONED_AFTER);
  return Number.isFinite(timeout) ? timeout : undefined;
}

/** Throws `INVALID_INPUT` for wrong options; names the first. */
export function checkContainerOptions(options: ContainerWorkspaceOptions): void {
  checkOptionNames('ContainerWorkspace', options, NAMES, checks.invalid);
  const { image, name, keep = 'removed', folder, user, environment = {}, network, ports = [], limits = {} } = options;
  expect('image', image, isText, "the name of an image with the agent server, such as 'conv-agent-server'");
  expect('name', name, isName, 'letters, digits, _, . and -, the first a letter or digit, 100 at most');
  expect(
    'keep',
    keep,
    (given) => typeof given === 'string' && Object.hasOwn(FATES, given),
    Object.keys(FATES).join(', '),
  );
  if (name === undefined && keep !== 'removed')
    throw checks.invalid(
      `ContainerWorkspace: keep: expected 'removed' for a container without a name, found '${keep}'; give name, so that the container can be found again`,
    );
  expect('folder', folder, isPath, 'an absolute path of a folder');
  expect('target', options.target, isPath, 'an absolute path of a folder in the container');
  if (options.target !== undefined && folder === undefined)
    throw checks.invalid('ContainerWorkspace: target: expected a folder for this path, found none; give folder');
  expect(
    'user',
    user,
    (given) => isText(given) && /^[1-9]\d*(?::\d+)?$/.test(given as string),
    "'uid' or 'uid:gid', not of root",
  );
  for (const [variable, value] of Object.entries(environment))
    expect(`environment: ${variable}`, value, (given) => typeof given === 'string', 'a text');
  expect('network', network, isText, "'bridge', 'host' or the name of a network");
  expect('runtime', options.runtime, isText, "the name of a runtime, such as 'runc'");
  for (const port of ports)
    expect('ports', port, (given) => isWhole(given, 1) && (given as number) < 65_536, 'numbers of ports');
  checkOptionNames('ContainerWorkspace: limits', limits, LIMITS, checks.invalid);
  for (const [limit, value] of Object.entries(limits))
    expect(
      `limits: ${limit}`,
      value,
      limit === 'processors' ? isPart : (given) => isWhole(given, 1),
      limit === 'processors' ? 'a number from 0.01 up' : 'a number above 0',
    );
  expect('startTimeout', options.startTimeout, isPositive, 'milliseconds above 0');
  expect(
    'abandonedTimeout',
    options.abandonedTimeout,
    (given) => typeof given === 'number' && given > 0,
    'milliseconds above 0',
  );
  expect('executor', options.executor, (given) => typeof given === 'boolean', 'true or false');
  expect('keyFile', options.keyFile, isText, 'the path of a file');
  if (options.engine !== undefined) parseEngineAddress(options.engine);
}

function expect(name: string, value: unknown, isRight: (value: unknown) => boolean, expected: string): void {
  if (value === undefined && name !== 'image') return;
  if (!isRight(value)) throw checks.invalid(checks.wrongValue(`ContainerWorkspace: ${name}`, expected, value));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isPath(value: unknown): boolean {
  return isText(value) && isAbsolute(value as string);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9][\w.-]{0,99}$/.test(value);
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

/** True for a part of a processor that an engine does not round to 0, which would limit nothing. */
function isPart(value: unknown): boolean {
  return isPositive(value) && (value as number) >= 0.01;
}

function isWhole(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least;
}
