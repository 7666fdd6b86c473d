import { dirname, join } from 'node:path';

import { checkOptionNames, type Masker, type OptionNames } from '@conv/core';
import { type Platform, systemPlatform } from '@conv/core/platform';
import {
  toolWires,
  defineTool,
  text,
  type Tool,
  type ToolFactory,
  type ToolResult,
  type ToolSession,
} from '@conv/core/tool';
import { z } from 'zod';

import { loadTasks, saveTasks, type Task } from './task-file.ts';

const description = `Keeps the list of tasks of this conversation, so that long work stays in order.

- \`plan\` replaces the whole list by \`task_list\`: send every task each time, also those that are done.
- \`view\` shows the list.

Use it for work of several steps. Have one task in_progress at a time, and set it to done as soon as it is.`;

const input = z.object({
  command: z.enum(['view', 'plan']).default('view').describe('Whether to show the list or to replace it.'),
  task_list: z
    .array(
      z.object({
        title: z.string().min(1).describe('What is to be done, in a few words.'),
        notes: z.string().default('').describe('Details, findings, what is left.'),
        status: z.enum(['todo', 'in_progress', 'done']).default('todo'),
      }),
    )
    .default([])
    .describe('For plan: the whole list, in order.'),
});

/** Options of the task tracker. */
export interface TaskTrackerOptions {
  /** Source of ids for temporary files. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<TaskTrackerOptions> = { platform: true };

/**
 * Creates a task list for each conversation, with the wire kinds TaskTrackerTool, TaskTrackerAction and TaskTrackerObservation.
 * Each observation holds the whole list, so the conversation's state follows from events, and the session's `taskList` is what
 * `view` shows: another branch or a fork has its own. The list is also written to `TASKS.json` beside the session's
 * `sideDirectory`, where OpenHands looks for it, with values of secrets masked. It is read from there if the session has no
 * `taskList`.
 */
export function taskTracker(options: TaskTrackerOptions = {}): ToolFactory {
  checkOptionNames('taskTracker', options, NAMES);
  const { platform = systemPlatform } = options;
  return { name: 'task_tracker', params: {}, create: (session) => createTaskTracker(session, platform) };
}

async function createTaskTracker(session: ToolSession, platform: Pick<Platform, 'id'>): Promise<Tool> {
  const file = session.sideDirectory === undefined ? undefined : join(dirname(session.sideDirectory), 'TASKS.json');
  let tasks = file === undefined ? [] : await loadTasks(file);
  return defineTool({
    name: 'task_tracker',
    description,
    input,
    annotations: { title: 'task_tracker', readOnly: false, destructive: false, idempotent: true, openWorld: false },
    resources: () => [`task_tracker:${session.conversationId}`],
    wire: (tool) =>
      toolWires.native(tool, {
        definition: 'TaskTrackerTool',
        action: 'TaskTrackerAction',
        observation: 'TaskTrackerObservation',
      }),
    execute: async ({ command, task_list: planned }, { secrets }) => {
      if (command === 'view') {
        const current = session.taskList?.() ?? tasks;
        return toResult(command, current, describe(current));
      }
      tasks = planned;
      if (file !== undefined) await saveTasks(platform, file, masked(tasks, (secrets ?? session.secrets)?.masker));
      return toResult(command, tasks, `The list now has ${count(tasks.length)}.${warning(tasks)}`);
    },
  });
}

function masked(tasks: readonly Task[], masker: Masker | undefined): readonly Task[] {
  if (!masker) return tasks;
  return tasks.map(({ title, notes, status }) => ({ title: masker.mask(title), notes: masker.mask(notes), status }));
}

function toResult(command: 'view' | 'plan', tasks: readonly Task[], said: string): ToolResult {
  return { content: text(said), fields: { command, task_list: tasks.map((task) => ({ ...task })) } };
}

function describe(tasks: readonly Task[]): string {
  if (tasks.length === 0) return 'The list is empty. Use plan to make one.';
  const marks = { todo: '[ ]', in_progress: '[>]', done: '[x]' } as const;
  const lines = tasks.map(({ title, notes, status }, index) => {
    const indented = notes.trim() ? `\n   ${notes.trim().replaceAll('\n', '\n   ')}` : '';
    return `${index + 1}. ${marks[status]} ${title}${indented}`;
  });
  return `${count(tasks.length)} ([x] done, [>] in progress, [ ] to do):\n${lines.join('\n')}${warning(tasks)}`;
}

function warning(tasks: readonly Task[]): string {
  const active = tasks.filter(({ status }) => status === 'in_progress').length;
  return active > 1 ? `\n${active} tasks are in progress at once; work on one at a time.` : '';
}

function count(tasks: number): string {
  return `${tasks} ${tasks === 1 ? 'task' : 'tasks'}`;
}
