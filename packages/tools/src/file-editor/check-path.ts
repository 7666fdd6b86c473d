import { homedir } from 'node:os';
import { join } from 'node:path';

import type { ToolSession } from '@conv/core/tool';

import { Refusal } from './refusal.ts';

/** Refuses a path that names no file. `~` is not expanded, so that no home folder is opened by accident. */
export function checkPath(path: string, { executor }: Pick<ToolSession, 'executor'>): void {
  if (path === '') throw new Refusal('The path is empty.');
  if (path.includes('\0')) throw new Refusal('The path holds a NUL character.');
  if (path !== '~' && !path.startsWith('~/')) return;
  // the home of this process means nothing where an executor acts
  const meant = executor ? '' : ` Did you mean ${join(homedir(), path.slice(1))}?`;
  throw new Refusal(`${path} is not expanded: write the full path.${meant}`);
}
