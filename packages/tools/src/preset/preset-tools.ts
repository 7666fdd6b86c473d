import { checkOptionNames, type JsonObject, type OptionNames } from '@conv/core';
import type { ToolFactory } from '@conv/core/tool';

import { checkSandbox } from '../check-sandbox.ts';
import { applyPatchPreset } from './apply-patch.ts';
import { editPreset } from './edit-preset.ts';
import { globPreset } from './glob.ts';
import { grepPreset } from './grep.ts';
import { listDirectoryPreset } from './list-directory.ts';
import { planningFileEditor } from './planning-file-editor.ts';
import { presetTool, type PresetToolsOptions } from './preset-tool.ts';
import { readFilePreset } from './read-file.ts';
import { writeFilePreset } from './write-file-preset.ts';

/** The name of a tool of {@link presetTools}. */
export type PresetToolName =
  | 'glob'
  | 'grep'
  | 'read_file'
  | 'write_file'
  | 'edit'
  | 'list_directory'
  | 'apply_patch'
  | 'planning_file_editor';

const NAMES: OptionNames<PresetToolsOptions> = { maxFileSize: true, sandbox: true, platform: true };

/**
 * Returns the tools of OpenHands' presets by their names there, as `tools` of an agent factory takes them. Each has the input, the
 * kinds and the fields of OpenHands' tool, and acts on the files that `fileEditor` reaches, by its rules: texts are masked, the mask
 * is never written in the place of a value (P9), line endings and encodings stay, binary files and huge ones are refused by name.
 * Patterns of `glob` and `grep` take time in proportion to the texts. `apply_patch` keeps to the working folder, and changes nothing
 * unless the whole patch fits. `planning_file_editor` changes the plan alone, which its parameter `plan_path` may name.
 *
 * @example
 * ```ts
 * import { createAgent, modelFromEnvironment } from '@conv/agent';
 * import { presetTools, terminal } from '@conv/tools';
 *
 * const { glob, grep, read_file: readFile, edit } = presetTools();
 * export const agent = createAgent({
 *   model: modelFromEnvironment(),
 *   tools: [terminal(), glob(), grep(), readFile(), edit()],
 * });
 * ```
 */
export function presetTools(
  options: PresetToolsOptions = {},
): Readonly<Record<PresetToolName, (params?: JsonObject) => ToolFactory>> {
  checkOptionNames('presetTools', options, NAMES);
  checkSandbox('presetTools', options.sandbox);
  return {
    glob: () => presetTool(globPreset, options),
    grep: () => presetTool(grepPreset, options),
    read_file: () => presetTool(readFilePreset, options),
    write_file: () => presetTool(writeFilePreset, options),
    edit: () => presetTool(editPreset, options),
    list_directory: () => presetTool(listDirectoryPreset, options),
    apply_patch: () => presetTool(applyPatchPreset, options),
    planning_file_editor: (params = {}) => planningFileEditor(params, options),
  };
}
