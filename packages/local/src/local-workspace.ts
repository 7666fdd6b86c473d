import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';

import type { LocalWorkspaceDescription } from '@conv/core';

/** A folder on this machine that an agent works in. */
export class LocalWorkspace implements LocalWorkspaceDescription {
  readonly kind = 'LocalWorkspace';
  /** Absolute. */
  readonly workingDir: string;

  /** Takes a folder, relative to the process's own; makes it when it is not there. */
  constructor(folder: string) {
    this.workingDir = resolve(folder);
    mkdirSync(this.workingDir, { recursive: true });
  }
}
