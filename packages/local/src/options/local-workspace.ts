import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { ConversationError, type LocalWorkspaceDescription } from '@conv/core';

import { pseudoFileSystem } from './pseudo-file-system.ts';

/** A folder on this machine that an agent works in. */
export class LocalWorkspace implements LocalWorkspaceDescription {
  readonly kind = 'LocalWorkspace';
  /** Absolute. */
  readonly workingDir: string;

  /**
   * Takes a folder, relative to the process's own; makes it when it is not there. Throws `ConversationError` `INVALID_INPUT`, which names
   * it, where none can be made and where the kernel shows itself, as below `/proc` and `/sys`.
   */
  constructor(folder: string) {
    this.workingDir = resolve(folder);
    const kernel = pseudoFileSystem(this.workingDir);
    if (kernel !== undefined) throw unusable(this.workingDir, `${kernel} holds no files of anybody`);
    try {
      makeFolders(this.workingDir);
    } catch (cause) {
      throw unusable(this.workingDir, cause instanceof Error ? cause.message : String(cause), cause);
    }
  }
}

/** One by one: Node.js tries without end where a file system says that the folder above is missing although it is there. */
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

/** Somebody else may have been faster. */
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
