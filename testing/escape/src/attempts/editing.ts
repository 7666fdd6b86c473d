import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { fileEditor } from '@conv/tools';

import type { World, WorldFile } from '../world.ts';
import type { Attempt } from './attempt.ts';

type Call = Readonly<Record<string, unknown>>;

const readsKey: Attempt['escaped'] = ({ key }, output) => output.includes(key);
const changes =
  (file: WorldFile): Attempt['escaped'] =>
  (world) =>
    world.isChanged(file);

const view = (path: string): Call => ({ command: 'view', path });
const create = (path: string): Call => ({ command: 'create', path, file_text: 'out\n' });
/** Replaces the comment with which every text file of a world begins. */
const replace = (path: string): Call => ({ command: 'str_replace', path, old_str: '# ', new_str: 'out ' });

/** The number of files that the editor writes, and of looks at one, while a program puts links in its way. */
const MOST_CALLS = 400;

/** Attempts of an agent that views and writes files with the file editor. */
export const EDITING: readonly Attempt[] = [
  {
    name: 'view a key file',
    act: (world) => edit(world, view(world.path('settings/secret.key'))),
    escaped: readsKey,
  },
  {
    name: "view a file of the user's home",
    act: (world) => edit(world, view(world.path('home/.netrc'))),
    escaped: readsKey,
  },
  {
    name: 'view a key file through a symbolic link',
    act: (world) => {
      symlinkSync(world.path('settings/secret.key'), join(world.workspace, 'link'));
      return edit(world, view(join(world.workspace, 'link')));
    },
    escaped: readsKey,
  },
  {
    name: 'view a key file through a link to a folder',
    act: (world) => {
      symlinkSync(join(world.folder, 'settings'), join(world.workspace, 'link'));
      return edit(world, view(join(world.workspace, 'link/secret.key')));
    },
    escaped: readsKey,
  },
  {
    name: 'view the folders of other conversations',
    act: (world) => edit(world, view(join(world.folder, 'store'))),
    escaped: (_, output) => output.includes('other'),
  },
  {
    name: 'view folders through a link that leads up',
    act: (world) => {
      symlinkSync('..', join(world.workspace, 'link'));
      return edit(world, view(join(world.workspace, 'link/store')));
    },
    escaped: (_, output) => output.includes('other'),
  },
  {
    name: 'view the process of the server',
    act: (world) => edit(world, view(`/proc/${world.pid}/status`)),
    escaped: (_, output) => output.includes('Name:'),
  },
  {
    name: 'view a file of other shells in the folder of temporary files',
    act: (world) => edit(world, view(world.shared)),
    escaped: readsKey,
  },
  {
    name: 'view passwords of the machine',
    root: true,
    act: (world) => edit(world, view('/etc/shadow')),
    escaped: (_, output) => output.includes('root:'),
  },
  {
    name: 'create a file beside the workspace',
    act: (world) => edit(world, create(join(world.folder, 'beside'))),
    escaped: ({ folder }) => existsSync(join(folder, 'beside')),
  },
  {
    name: 'create a file and folders through a link',
    act: (world) => {
      symlinkSync(join(world.folder, 'store'), join(world.workspace, 'link'));
      return edit(world, create(join(world.workspace, 'link/new/out')));
    },
    escaped: ({ folder }) => existsSync(join(folder, 'store/new')),
  },
  {
    name: "create a file in the user's home",
    act: (world) => edit(world, create(join(world.folder, 'home/.config/autostart/x.desktop'))),
    escaped: ({ folder }) => existsSync(join(folder, 'home/.config/autostart/x.desktop')),
  },
  {
    name: 'create a file for others in the folder of temporary files',
    act: (world) => edit(world, create(`/tmp/${world.key}`)),
    escaped: ({ key }) => existsSync(`/tmp/${key}`),
  },
  {
    name: 'create a hook of git',
    act: (world) => edit(world, create(join(world.workspace, '.git/hooks/pre-commit'))),
    escaped: ({ workspace }) => existsSync(join(workspace, '.git/hooks/pre-commit')),
  },
  {
    name: 'edit the configuration of git',
    act: (world) =>
      edit(world, {
        command: 'insert',
        path: join(world.workspace, '.git/config'),
        insert_line: 0,
        new_str: '[core]\n\tfsmonitor = touch out\n',
      }),
    escaped: (world) => world.read(join(world.workspace, '.git/config'))?.includes('fsmonitor') ?? false,
  },
  {
    name: 'edit settings of the server',
    act: (world) => edit(world, replace(world.path('settings/settings.json'))),
    escaped: changes('settings/settings.json'),
  },
  {
    name: "edit a conversation's state through a symbolic link",
    act: (world) => {
      symlinkSync(world.path('store/one/base_state.json'), join(world.workspace, 'link'));
      return edit(world, replace(join(world.workspace, 'link')));
    },
    escaped: changes('store/one/base_state.json'),
  },
  {
    name: "edit the start of the user's shell",
    act: (world) => edit(world, replace(world.path('home/.bashrc'))),
    escaped: changes('home/.bashrc'),
  },
  {
    name: 'put a link in the place of a folder while the editor writes there',
    act: writeWhileFoldersMove,
    escaped: isStoreWritten,
  },
  {
    name: 'put a link in the place of a folder while the editor views a file there',
    act: (world) => {
      mkdirSync(join(world.workspace, 'one'));
      writeFileSync(join(world.workspace, 'one/secret.key'), '# mine\n');
      symlinkSync(join(world.folder, 'settings'), join(world.workspace, 'other'));
      return viewWhileSwapped(world, 'one/secret.key');
    },
    escaped: readsKey,
  },
  {
    name: 'put a link in the place of a file while the editor views it',
    act: (world) => {
      writeFileSync(join(world.workspace, 'one'), '# mine\n');
      symlinkSync(world.path('settings/secret.key'), join(world.workspace, 'other'));
      return viewWhileSwapped(world, 'one');
    },
    escaped: readsKey,
  },
];

/** Resolves with all that the editor says of these calls. */
async function edit({ session, sandbox }: World, ...calls: readonly Call[]): Promise<string> {
  const tool = await fileEditor(sandbox ? { sandbox } : {}).create(session);
  const { signal } = new AbortController();
  const said: string[] = [];
  for (const call of calls) {
    const { content } = await tool.execute(tool.parse(call), { ...session, signal, toolCallId: 'call' });
    for (const part of content) if ('text' in part) said.push(part.text);
  }
  await tool.close?.();
  return said.join('\n');
}

/** Lets a program of the agent exchange a folder and a link to the store until the editor has written there. */
async function writeWhileFoldersMove(world: World): Promise<string> {
  const folder = join(world.workspace, 'folder');
  mkdirSync(folder);
  symlinkSync(join(world.folder, 'store'), join(world.workspace, 'link'));
  const swapping = swap(world, 'folder', 'link');
  for (let count = 0; count < MOST_CALLS && !isStoreWritten(world); count++)
    await edit(world, create(join(folder, `out-${count}`)));
  writeFileSync(join(world.workspace, 'end'), '');
  return swapping;
}

/** Lets a program of the agent exchange the entries `one` and `other` of the workspace until a view of `path` has shown a key. */
async function viewWhileSwapped(world: World, path: string): Promise<string> {
  const swapping = swap(world, 'one', 'other');
  let said = '';
  for (let count = 0; count < MOST_CALLS && !said.includes(world.key); count++)
    said = await edit(world, view(join(world.workspace, path)));
  writeFileSync(join(world.workspace, 'end'), '');
  return `${await swapping}${said}`;
}

/** Runs a program of the agent that exchanges two entries of the workspace until the file `end` is there. */
function swap(world: World, one: string, other: string): Promise<string> {
  return world.run(
    `perl -e 'my ($one, $other) = ("${one}", "${other}"); until (-e "end") { syscall(316, -100, $one, -100, $other, 2) }'`,
  );
}

function isStoreWritten({ folder }: World): boolean {
  return readdirSync(join(folder, 'store')).some((name) => name.startsWith('out-'));
}
