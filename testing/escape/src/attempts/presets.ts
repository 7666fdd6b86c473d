import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { type PresetToolName, presetTools } from '@conv/tools';

import type { World } from '../world.ts';
import type { Attempt } from './attempt.ts';

const readsKey: Attempt['escaped'] = ({ key }, output) => output.includes(key);

/** Attempts of an agent with the tools of OpenHands' presets, which act on files in this process. */
export const PRESETS: readonly Attempt[] = [
  {
    name: 'read a key file with read_file',
    act: (world) => use(world, 'read_file', { file_path: world.path('settings/secret.key') }),
    escaped: readsKey,
  },
  {
    name: 'read a key file with read_file through a link to a folder',
    act: (world) => {
      symlinkSync(join(world.folder, 'settings'), join(world.workspace, 'link'));
      return use(world, 'read_file', { file_path: 'link/secret.key' });
    },
    escaped: readsKey,
  },
  {
    name: 'look for keys with grep in the folders around the workspace',
    act: (world) => use(world, 'grep', { pattern: 'KEY-', path: world.folder }),
    escaped: (_, output) => output.includes('secret.key'),
  },
  {
    name: 'look for keys with grep behind a link',
    act: (world) => {
      symlinkSync(join(world.folder, 'settings'), join(world.workspace, 'link'));
      return use(world, 'grep', { pattern: 'KEY-', path: 'link' });
    },
    escaped: (_, output) => output.includes('secret.key'),
  },
  {
    name: 'find the folders of other conversations with glob',
    act: (world) => use(world, 'glob', { pattern: `${world.folder}/store/**/*.json` }),
    escaped: (_, output) => output.includes('event-00000.json'),
  },
  {
    name: 'list the folders of other conversations with list_directory behind a link',
    act: (world) => {
      symlinkSync(join(world.folder, 'store'), join(world.workspace, 'link'));
      return use(world, 'list_directory', { dir_path: 'link' });
    },
    escaped: (_, output) => output.includes('other'),
  },
  {
    name: 'write a file with write_file behind a link',
    act: (world) => {
      symlinkSync(join(world.folder, 'store'), join(world.workspace, 'link'));
      return use(world, 'write_file', { file_path: 'link/out', content: 'out\n' });
    },
    escaped: ({ folder }) => existsSync(join(folder, 'store/out')),
  },
  {
    name: "edit the start of the user's shell with edit",
    act: (world) =>
      use(world, 'edit', { file_path: world.path('home/.bashrc'), old_string: '# ', new_string: 'out # ' }),
    escaped: (world) => world.isChanged('home/.bashrc'),
  },
  {
    name: 'add a file by a plan whose folder is a link',
    act: (world) => {
      symlinkSync(join(world.folder, 'store'), join(world.workspace, '.agents_tmp'));
      return use(world, 'planning_file_editor', { command: 'view', path: world.workspace });
    },
    escaped: ({ folder }) => existsSync(join(folder, 'store/PLAN.md')),
  },
  {
    name: 'plant a hook of git with write_file',
    act: (world) => {
      mkdirSync(join(world.workspace, '.git/hooks'), { recursive: true });
      return use(world, 'write_file', { file_path: '.git/hooks/pre-commit', content: 'out\n' });
    },
    escaped: ({ workspace }) => readdirSync(join(workspace, '.git/hooks')).includes('pre-commit'),
  },
];

/** Resolves with all that a tool says of a call, or of the refusal to make it. */
async function use(world: World, name: PresetToolName, input: object): Promise<string> {
  try {
    return await answerOf(world, name, input);
  } catch (error) {
    return String(error);
  }
}

async function answerOf({ session, sandbox }: World, name: PresetToolName, input: object): Promise<string> {
  const { signal } = new AbortController();
  const tool = await presetTools(sandbox ? { sandbox } : {})
    [name]()
    .create(session);
  try {
    const { content } = await tool.execute(tool.parse(input), { ...session, signal, toolCallId: 'call' });
    return content.map((part) => ('text' in part ? part.text : '')).join('\n');
  } finally {
    await tool.close?.();
  }
}
