import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConversationError, errorText, type LocalWorkspaceDescription } from '@conv/core';

import { pseudoFileSystem } from './pseudo-file-system.ts';

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
