import type { JsonObject } from '@conv/core';
import { type Platform, systemPlatform } from '@conv/core/platform';
import {
  defineTool,
  type Sandbox,
  type Tool,
  type ToolContext,
  type ToolFactory,
  type ToolResult,
  type ToolSession,
  toolWires,
} from '@conv/core/tool';
import type { z } from 'zod';

import { openSessionFiles } from '../file-editor/session-files.ts';
import { Workplace } from './workplace.ts';

/** Options of {@link presetTools}. */
export interface PresetToolsOptions {
  /** Maximum size in bytes of a file to read or write. Default 10 MiB. */
  readonly maxFileSize?: number;
  /** Keeps the tools to the files that programs in this sandbox reach, as the option of `fileEditor` does. Default: none. */
  readonly sandbox?: Sandbox;
  /** Source of ids for temporary files, and of turns for other work in a long search. Default: the platform of the host. */
  readonly platform?: Platform;
}

/** A tool of OpenHands' presets, the same for all conversations. */
export interface Preset<Input extends z.ZodObject> {
  readonly name: string;
  /** The beginning of its kinds on the wire: `ReadFile` for ReadFileTool, ReadFileAction and ReadFileObservation. */
  readonly kind: string;
  readonly description: string;
  readonly input: Input;
  /** True for a tool that changes no file. */
  readonly readOnly: boolean;
  /** Returns the path of the file that no other call may use at the same time; `undefined` for no such file. */
  readonly file: (input: z.output<Input>) => string | undefined;
  /** True for a tool whose calls exclude every other call. Default `false`. */
  readonly exclusive?: boolean;
  readonly execute: (input: z.output<Input>, workplace: Workplace, context: ToolContext) => Promise<ToolResult>;
}

/** The most bytes of a file, unless the options say so. */
export const MOST_BYTES: number = 10 << 20;

/** Returns the factory of a tool of the presets. */
export function presetTool<Input extends z.ZodObject>(preset: Preset<Input>, options: PresetToolsOptions): ToolFactory {
  return { name: preset.name, params: {}, create: (session) => createPreset(preset, session, options) };
}

async function createPreset<Input extends z.ZodObject>(
  { name, kind, description, input, readOnly, file, exclusive = false, execute }: Preset<Input>,
  session: ToolSession,
  { maxFileSize = MOST_BYTES, sandbox, platform = systemPlatform }: PresetToolsOptions,
): Promise<Tool> {
  const opened = await openSessionFiles(`tool ${name}`, session, { sandbox, platform });
  const workplace = new Workplace(session, { ...opened, maxFileSize, platform });
  const { rules, close } = opened;
  const about = `${description}\n\nThe working folder is ${session.workingDirectory}; relative paths start there.`;
  const resources = (given: unknown): readonly string[] => {
    const path = file(given as z.output<Input>);
    return path === undefined ? [] : [`file:${workplace.resource(workplace.pathOf(path))}`];
  };
  return defineTool({
    name,
    description: rules === undefined ? about : `${about}\n\n${rules}`,
    input,
    annotations: { title: name, readOnly, destructive: !readOnly, idempotent: readOnly, openWorld: false },
    ...(exclusive ? {} : { resources }),
    wire: (tool) =>
      toolWires.native(tool, { definition: `${kind}Tool`, action: `${kind}Action`, observation: `${kind}Observation` }),
    execute: (given, context) => execute(given as z.output<Input>, workplace, context),
    ...(close && { close }),
  });
}

/** Returns fields of an observation, without members that have no value. */
export function fieldsOf(members: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, JsonObject[string]] => member[1] !== undefined),
  );
}
