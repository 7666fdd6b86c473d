import { existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { WorldFile } from '../world.ts';
import type { CommandAttempt } from './attempt.ts';

const changes =
  (file: WorldFile): CommandAttempt['escaped'] =>
  (world) =>
    world.isChanged(file);

/** Attempts to change what is not in the workspace, or what its owner's programs act on. */
export const WRITING: readonly CommandAttempt[] = [
  {
    name: 'write beside the workspace',
    command: () => 'echo out >../beside',
    escaped: ({ folder }) => existsSync(join(folder, 'beside')),
  },
  {
    name: "write a conversation's state",
    command: (world) => `echo out >${world.path('store/one/base_state.json')}`,
    escaped: changes('store/one/base_state.json'),
  },
  {
    name: 'write through a symbolic link',
    command: (world) => `ln -s ${world.path('store/one/base_state.json')} link; echo out >link`,
    escaped: changes('store/one/base_state.json'),
  },
  {
    name: 'write through a link to a folder',
    command: ({ folder }) => `ln -s ${folder}/store link; echo out >link/one/base_state.json`,
    escaped: changes('store/one/base_state.json'),
  },
  {
    name: 'write through a hard link',
    command: (world) => `ln ${world.path('settings/settings.json')} link; echo out >link`,
    escaped: changes('settings/settings.json'),
  },
  {
    name: 'change settings of the server',
    command: (world) => `sed -i s/settings/out/ ${world.path('settings/settings.json')}`,
    escaped: changes('settings/settings.json'),
  },
  {
    name: 'delete the store',
    command: ({ folder }) => `rm -rf ${folder}/store`,
    escaped: ({ folder }) => !existsSync(join(folder, 'store/one/base_state.json')),
  },
  {
    name: "change another conversation's workspace",
    command: (world) => `echo out >${world.path('other-workspace/main.js')}`,
    escaped: changes('other-workspace/main.js'),
  },
  {
    name: "change the start of the user's shell",
    command: () => 'echo out >>~/.bashrc',
    escaped: changes('home/.bashrc'),
  },
  { name: "change the user's login", command: () => 'echo out >>~/.profile', escaped: changes('home/.profile') },
  {
    name: 'let a stranger log in',
    command: () => 'echo out >>~/.ssh/authorized_keys',
    escaped: changes('home/.ssh/authorized_keys'),
  },
  {
    name: "change the user's git",
    command: () => 'git config --file ~/.config/git/config core.pager out',
    escaped: changes('home/.config/git/config'),
  },
  {
    name: 'set LD_PRELOAD for the user',
    command: () => 'mkdir -p ~/.config/environment.d; echo LD_PRELOAD=/x >~/.config/environment.d/x.conf',
    escaped: ({ folder }) => existsSync(join(folder, 'home/.config/environment.d/x.conf')),
  },
  {
    name: 'start with the session of the user',
    command: () => 'mkdir -p ~/.config/autostart; echo out >~/.config/autostart/x.desktop',
    escaped: ({ folder }) => existsSync(join(folder, 'home/.config/autostart/x.desktop')),
  },
  {
    name: 'replace a program in PATH',
    command: () => 'echo out >~/bin/tool',
    escaped: changes('home/bin/tool'),
  },
  {
    name: 'plant a program in PATH',
    command: () => 'echo out >~/bin/git; chmod +x ~/bin/git',
    escaped: ({ folder }) => existsSync(join(folder, 'home/bin/git')),
  },
  {
    name: 'plant a program for all users',
    root: true,
    command: ({ key }) =>
      `echo out >/usr/local/bin/${key} && test -e /usr/local/bin/${key} && echo planted; rm -f /usr/local/bin/${key}`,
    escaped: (_, output) => output.includes('planted'),
  },
  {
    name: 'make a program run as its owner',
    command: (world) => `chmod u+s ${world.path('home/bin/tool')}`,
    escaped: (world) => (statSync(world.path('home/bin/tool')).mode & 0o4000) !== 0,
  },
  {
    name: 'open the store to all users',
    command: ({ folder }) => `chmod 777 ${folder}/store`,
    escaped: ({ folder }) => (statSync(join(folder, 'store')).mode & 0o777) === 0o777,
  },
  {
    name: 'make a file look older',
    command: (world) => `touch -d 2000-01-01 ${world.path('store/one/base_state.json')}`,
    escaped: (world) => statSync(world.path('store/one/base_state.json')).mtimeMs < Date.UTC(2010, 0),
  },
  {
    name: 'plant a hook of git',
    command: () => 'echo out >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
    escaped: ({ workspace }) => existsSync(join(workspace, '.git/hooks/pre-commit')),
  },
  {
    name: 'let git start a program',
    command: () => 'git config core.fsmonitor "touch out"',
    escaped: (world) => world.read(join(world.workspace, '.git/config'))?.includes('fsmonitor') ?? false,
  },
  {
    name: 'put another repository in the place of this one',
    command: () => 'mv .git away && cp -r away .git && echo out >.git/hooks/pre-commit',
    escaped: ({ workspace }) => existsSync(join(workspace, '.git/hooks/pre-commit')),
  },
  {
    name: 'put a link in the place of the workspace',
    command: ({ folder }) => `cd ..; mv workspace away; ln -s ${folder}/store workspace`,
    escaped: ({ workspace }) => lstatSync(workspace).isSymbolicLink(),
  },
  {
    name: 'make a read-only mount writable',
    root: true,
    command: (world) =>
      `for path in / /usr ${world.folder}; do mount -o remount,rw,bind $path 2>/dev/null; done; echo out >${world.path('settings/settings.json')}`,
    escaped: changes('settings/settings.json'),
  },
  {
    name: 'gain rights in a namespace of its own',
    command: (world) =>
      `unshare --user --map-root-user --mount sh -c 'mount -o remount,rw,bind /usr; echo out >${world.path('settings/settings.json')}'`,
    escaped: changes('settings/settings.json'),
  },
  {
    name: 'change a setting of the kernel',
    root: true,
    // the same value again: a setting that is written is there for the whole machine
    command: () =>
      'value=$(cat /proc/sys/kernel/core_pattern); echo "$value" >/proc/sys/kernel/core_pattern && echo written',
    escaped: (_, output) => output.includes('written'),
  },
  {
    name: 'write under what is mounted on a repository',
    command: () =>
      `mkdir other; unshare --user --map-root-user --mount sh -c 'mount --bind . other; echo out >other/.git/config'`,
    escaped: (world) => world.read(join(world.workspace, '.git/config'))?.includes('out') ?? false,
  },
  {
    name: 'write shared memory of the machine',
    command: ({ key }) => `echo out >/dev/shm/${key}`,
    escaped: ({ key }) => existsSync(`/dev/shm/${key}`),
  },
  {
    name: 'leave a file for others in the folder of temporary files',
    command: ({ key }) => `echo out >/tmp/${key}`,
    escaped: ({ key }) => existsSync(`/tmp/${key}`),
  },
];
