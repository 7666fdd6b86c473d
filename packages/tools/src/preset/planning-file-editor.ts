import { isAbsolute, join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { type Tool, ToolError, type ToolFactory, type ToolSession } from '@conv/core/tool';

import { editorTool } from '../file-editor/editor-tool.ts';
import { fileEditorDescription } from '../file-editor/file-editor-input.ts';
import type { Files } from '../file-editor/files.ts';
import { openSessionFiles } from '../file-editor/session-files.ts';
import { MOST_BYTES, type PresetToolsOptions } from './preset-tool.ts';

const PLAN = 'PLAN.md';
/** The folder of the plan, which keeps it apart from the files of the user. */
const FOLDER = '.agents_tmp';

/** The sections of a new plan. */
const SECTIONS = [
  'OBJECTIVE',
  'CONTEXT SUMMARY',
  'APPROACH OVERVIEW',
  'IMPLEMENTATION STEPS',
  'TESTING AND VALIDATION',
] as const;

/**
 * Returns the factory of a file editor that views each file and changes the plan alone. The parameter `plan_path` is the absolute
 * path of the plan. Default: `PLAN.md` in the working folder if it is there, else `.agents_tmp/PLAN.md`, which is made with its sections.
 */
export function planningFileEditor(params: JsonObject, options: PresetToolsOptions): ToolFactory {
  const { plan_path: path = null } = params;
  return {
    name: 'planning_file_editor',
    params: path === null ? {} : { plan_path: path },
    create: (session) => createEditor(session, path, options),
  };
}

async function createEditor(
  session: ToolSession,
  path: JsonObject[string],
  { maxFileSize = MOST_BYTES, sandbox, platform = systemPlatform }: PresetToolsOptions,
): Promise<Tool> {
  if (path !== null && (typeof path !== 'string' || !isAbsolute(path)))
    throw new ToolError(
      'FAILED',
      `planning_file_editor: plan_path must be an absolute path, got: ${typeof path === 'string' ? path : JSON.stringify(path)}`,
    );
  const opened = await openSessionFiles('planning file editor', session, { sandbox, platform });
  const { files } = opened;
  const plan = path ?? (await defaultPlan(files, session.workingDirectory));
  if (!(await files.isTaken(plan))) await files.create(plan, Buffer.from(sectionsText()), new AbortController().signal);
  return editorTool(session, opened, {
    name: 'planning_file_editor',
    kind: 'PlanningFileEditor',
    description: `${fileEditorDescription}\n\nYou plan: \`view\` works on each file, and every other command on the plan alone, which is ${plan}. It has its sections already; fill them in. Other agents read it later.`,
    edits: { maxFileSize, files, onlyEdits: plan },
  });
}

async function defaultPlan(files: Files, folder: string): Promise<string> {
  const earlier = join(folder, PLAN);
  return (await files.isTaken(earlier)) ? earlier : join(folder, FOLDER, PLAN);
}

function sectionsText(): string {
  return SECTIONS.map((title, index) => `# ${index + 1}. ${title}\n`).join('\n');
}
