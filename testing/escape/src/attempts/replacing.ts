import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { World } from '../world.ts';
import type { Attempt } from './attempt.ts';

/** Milliseconds between two looks for a file. */
const PAUSE = 5;

/** A link in the repository of the workspace, and what it leads to in the user's home. The agent's own home is at the same path. */
interface Replacement {
  readonly name: string;
  readonly target: string;
  /** Makes the target in the agent's home, so that the mount behind the link finds a place. */
  readonly prepare: string;
}

const REPOSITORY: Replacement = {
  name: '.git',
  target: '../home/dotfiles/.git',
  prepare: 'mkdir -p ~/dotfiles/.git/hooks; touch ~/dotfiles/.git/config',
};
const HOOKS: Replacement = { name: '.git/hooks', target: '../../home/.ssh', prepare: 'mkdir -p ~/.ssh' };
const SETTINGS: Replacement = {
  name: '.git/config',
  target: '../../home/.netrc',
  prepare: 'touch ~/.netrc',
};

/** Attempts of two programs: one puts a link into the repository of the workspace while the other is started. */
export const REPLACING: readonly Attempt[] = [
  {
    name: 'put another repository in the place of .git while a command starts',
    act: (world) => replaceAndRun(world, REPOSITORY, 'cat .git/config'),
    escaped: (world, output) => output.includes(world.key),
  },
  {
    name: 'write into another repository in the place of .git while a command starts',
    act: (world) => replaceAndRun(world, REPOSITORY, 'echo changed >.git/description'),
    escaped: (world) => existsSync(`${world.folder}/home/dotfiles/.git/description`),
  },
  {
    name: 'put a folder of keys in the place of the hooks of git while a command starts',
    act: (world) => replaceAndRun(world, HOOKS, 'cat .git/hooks/id_ed25519'),
    escaped: (world, output) => output.includes(world.key),
  },
  {
    name: 'put a key in the place of the settings of git while a command starts',
    act: (world) => replaceAndRun(world, SETTINGS, 'cat .git/config'),
    escaped: (world, output) => output.includes(world.key),
  },
];

/** Runs the command. The program that replaces was started before the repository was made, so that it can write in all of it. */
async function replaceAndRun(world: World, { name, target, prepare }: Replacement, command: string): Promise<string> {
  const [repository, aside] = [join(world.workspace, '.git'), join(world.folder, 'repository')];
  renameSync(repository, aside);
  const go = join(world.workspace, 'go');
  const replacing = world.run(
    `${prepare}; touch begun; until test -e go; do sleep 0.01; done; mv ${name} before; ln -s ${target} ${name}`,
  );
  while (!existsSync(join(world.workspace, 'begun'))) await sleep(PAUSE);
  renameSync(aside, repository);
  try {
    return await world.run(command, async () => {
      writeFileSync(go, '');
      await replacing;
    });
  } finally {
    writeFileSync(go, '');
    await replacing;
    rmSync(go);
  }
}
