import { mkdirSync, statSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { checks, ConversationError, errorText, type LocalWorkspaceDescription } from '@conv/core';

/** A folder on this machine that an agent works in. */
export class LocalWorkspace implements LocalWorkspaceDescription {
  readonly kind = 'LocalWorkspace';
  /** Absolute. */
  readonly workingDir: string;

  /**
   * Takes a folder, relative to the process's own, and creates it when missing. Throws `ConversationError` `INVALID_INPUT`, which
   * names it, if it cannot be created or lies in a file system of the kernel, as below `/proc` and `/sys`.
   */
  constructor(folder: string) {
    if (typeof folder !== 'string') throw checks.invalid(checks.wrongValue('LocalWorkspace: folder', 'a path', folder));
    this.workingDir = resolve(folder);
    const kernel = pseudoFileSystem(this.workingDir);
    if (kernel !== undefined) throw unusable(this.workingDir, `${kernel} belongs to the kernel and holds no project`);
    try {
      makeFolders(this.workingDir);
    } catch (cause) {
      throw unusable(this.workingDir, errorText(cause), cause);
    }
  }
}

/** Creates folders one by one: the recursive mkdir of Node.js loops forever if a file system reports an existing parent as missing. */
function makeFolders(path: string): void {
  if (isFolder(path)) return;
  try {
    mkdirSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) return acceptFolder(path, error);
    makeFolders(dirname(path));
    makeLast(path);
  }
}

function makeLast(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    acceptFolder(path, error);
  }
}

/** Accepts a folder that another process has created meanwhile; rethrows the error otherwise. */
function acceptFolder(path: string, error: unknown): void {
  if (codeOf(error) !== 'EEXIST' || !isFolder(path)) throw error;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function unusable(folder: string, reason: string, cause?: unknown): ConversationError {
  return new ConversationError(
    'INVALID_INPUT',
    `workspace: expected a folder that an agent can work in, found ${folder}: ${reason}`,
    { cause },
  );
}

/** File systems of the Linux kernel by their type numbers of `statfs(2)`. A write there changes the machine, or fails late. */
const PSEUDO: ReadonlyMap<number, string> = new Map([
  [0x9fa0, 'proc'],
  [0x62656572, 'sysfs'],
  [0x27e0eb, 'cgroup'],
  [0x63677270, 'cgroup2'],
  [0x1cd1, 'devpts'],
  [0x64626720, 'debugfs'],
  [0x74726163, 'tracefs'],
  [0x73636673, 'securityfs'],
  [0xf97cff8c, 'selinuxfs'],
  [0x6165676c, 'pstore'],
  [0xcafe4a11, 'bpf'],
  [0x62656570, 'configfs'],
  [0xde5e81e4, 'efivarfs'],
  [0x65735543, 'fusectl'],
  [0x42494e4d, 'binfmt_misc'],
  [0x19800202, 'mqueue'],
]);

/** Returns the name of the kernel's file system that the path lies in, or would lie in; else `undefined`. */
function pseudoFileSystem(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  for (let place = path; ; place = dirname(place)) {
    const type = typeOf(place);
    if (type !== undefined) return PSEUDO.get(type >>> 0);
    if (dirname(place) === place) return undefined;
  }
}

/** Returns the type of the path's file system; `undefined` if the path is missing or unreadable. */
function typeOf(path: string): number | undefined {
  try {
    return statfsSync(path).type;
  } catch {
    return undefined;
  }
}
