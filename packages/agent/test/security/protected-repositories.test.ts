import { homedir } from 'node:os';
import { join } from 'node:path';

import type { AssessOptions } from '@conv/core';
import { expect, test } from 'vitest';

import { patternSecurityAnalyzer } from '../../src/index.ts';
import { circumstances } from './corpus/read-corpus.ts';
import { actionWith } from './rate.ts';

const analyzer = patternSecurityAnalyzer();
const withFolder: AssessOptions = {
  ...circumstances,
  protectedPlaces: { addresses: [], paths: [join(homedir(), '.openhands')] },
};

const riskOf = async (command: string) => (await analyzer.assess(actionWith({ command }), withFolder)).risk;

test.each([
  'cd ~/.openhands && git add -A',
  'cd ~/.openhands/skills && git init',
  'git -C ~/.openhands add -A',
  'git -C ~ -C .openhands commit -m x',
  'git --git-dir=/tmp/r --work-tree=$HOME/.openhands checkout -f',
  'git --work-tree ~/.openhands reset',
  'cd ~/.openhands && git stash',
  'cd ~/.openhands && git log -p',
  'git -C ~/.openhands show HEAD:secret.key',
  'GIT_DIR=~/.openhands/.git git add -A',
  'GIT_WORK_TREE=~/.openhands git --git-dir=/tmp/r add -A',
  'export GIT_DIR=$HOME/.openhands/x; git show HEAD:secret.key',
  'env GIT_WORK_TREE=$HOME/.openhands git add .',
  'GIT_INDEX_FILE=~/.openhands/secret.key git add .',
  'GIT_OBJECT_DIRECTORY=~/.openhands/objects git add .',
])("P10: %s works among the supervisor's files and is HIGH", async (command) =>
  expect(await riskOf(command)).toBe('HIGH'),
);

test.each([
  'git add -A && git commit -m x',
  'cd packages && git add -A',
  'git -C packages/app log -p',
  'git --git-dir=.git --work-tree=. add -A',
])('P10: %s stays LOW', async (command) => expect(await riskOf(command)).toBe('LOW'));

test("P10: names and states of the supervisor's files are no work on them", async () =>
  expect(await riskOf('cd ~/.openhands && git status')).not.toBe('HIGH'));

test.each([
  ['git --git-dir=$HOME/proj/.git commit -m x', 'MEDIUM'],
  ['git -C ~/proj pull', 'MEDIUM'],
  ['GIT_WORK_TREE=$HOME/proj git checkout main', 'MEDIUM'],
  ['git --work-tree=$HOME checkout-index -a -f', 'MEDIUM'],
  ['git --work-tree=/etc read-tree -u --reset HEAD', 'HIGH'],
  ['git -C ~/proj worktree add ../x', 'MEDIUM'],
  ['git -C ~/proj submodule update', 'MEDIUM'],
  ['git -C ~/proj prune', 'MEDIUM'],
  ['git -C ~/proj worktree list', 'LOW'],
  ['git -C ~/proj submodule status', 'LOW'],
  ['git --work-tree=/etc checkout main', 'HIGH'],
  ['git --work-tree=/ checkout HEAD -- etc/passwd', 'HIGH'],
  ['git --work-tree=$HOME checkout HEAD -- .bashrc', 'HIGH'],
  ['GIT_DIR=$HOME/proj/.git git log', 'LOW'],
  ['git -C ../other status', 'LOW'],
  ['GIT_DIR=.git GIT_WORK_TREE=. git checkout main', 'LOW'],
])('P10: %s is %s', async (command, risk) => expect(await riskOf(command)).toBe(risk));
