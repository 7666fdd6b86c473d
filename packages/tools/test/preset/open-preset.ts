import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { ToolContext, ToolResult } from '@conv/core/tool';

import { presetTools, type PresetToolName, type PresetToolsOptions } from '../../src/index.ts';
import { openTool, temporaryFolder } from '../open-tool.ts';

export interface Opened {
  readonly folder: string;
  readonly call: (input: Record<string, unknown>) => Promise<ToolResult>;
  readonly read: (name: string) => string;
}

export interface Setting {
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly options?: PresetToolsOptions;
  readonly more?: Partial<ToolContext>;
}

/** Opens a tool in a folder with these files. */
export async function open(
  name: PresetToolName,
  { files = {}, options = {}, more = {} }: Setting = {},
): Promise<Opened> {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const { call } = await openTool(presetTools(options)[name](), folder, more);
  return { folder, call, read: (path) => readFileSync(join(folder, path), 'utf8') };
}

/** Returns a patch of these lines. */
export const patch = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
