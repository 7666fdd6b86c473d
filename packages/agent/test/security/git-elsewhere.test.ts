import { expect, test } from 'vitest';

import { riskOf } from './risk-of.ts';

test.each([
  ['git worktree add ../x', 'MEDIUM'],
  ['git worktree add --lock --reason why -B new ../x origin/new', 'MEDIUM'],
  ['git worktree add -- ~/x', 'MEDIUM'],
  ['git worktree add /etc/x', 'HIGH'],
  ['git worktree move a ../b', 'MEDIUM'],
  ['git worktree move ../a b', 'MEDIUM'],
  ['git init ../x', 'MEDIUM'],
  ['git init -b main /etc/x', 'HIGH'],
  ['git clone --separate-git-dir=../g . x', 'MEDIUM'],
  ['git bundle create ../x.bundle HEAD', 'MEDIUM'],
  ['git bundle create ~/.bashrc HEAD', 'HIGH'],
  ['git apply --unsafe-paths x.patch', 'MEDIUM'],
  ['git fast-export --export-marks=../marks HEAD', 'MEDIUM'],
  ['git config -f ../x user.name a', 'MEDIUM'],
  ['git bugreport -o ../x', 'MEDIUM'],
  ['git mailsplit -o../x mail', 'MEDIUM'],
  ['git mailinfo ../message ../patch <mail', 'MEDIUM'],
  ['git merge-file ../a b c', 'MEDIUM'],
  ['git index-pack -o ../x.idx a.pack', 'MEDIUM'],
  ['git pack-objects ../x', 'MEDIUM'],
  ['git svn clone https://example.com/x ../y', 'MEDIUM'],
  ['git push file:///home/other/x main', 'MEDIUM'],
  ['git grep --no-index token ~', 'HIGH'],
])('P10: %s reads or writes outside of the workspace and is %s', async (command, risk) =>
  expect(await riskOf(command)).toBe(risk),
);

test.each([
  ['git daemon --base-path=/', 'HIGH'],
  ['git instaweb', 'HIGH'],
  ['git instaweb --local', 'MEDIUM'],
  ['git send-email fix.patch', 'MEDIUM'],
  ['git maintenance start', 'MEDIUM'],
  ['git maintenance register', 'MEDIUM'],
  ['git worktree remove --force x', 'MEDIUM'],
])('P10: %s serves, publishes, runs later or discards and is %s', async (command, risk) =>
  expect(await riskOf(command)).toBe(risk),
);

test.each([
  'git init --template=hooks .',
  'git clone --template hooks . copy',
  'GIT_TEMPLATE_DIR=hooks git init',
  'git -c init.templateDir=hooks init',
  'git config init.templateDir hooks',
  'git -c tar.x.command=./x archive --format=x HEAD',
  'git -c trailer.x.command=./x interpret-trailers message',
  'git -c gpg.ssh.defaultKeyCommand=./x commit -S',
  'git -c core.alternateRefsCommand=./x fetch',
  'git -c sendemail.sendmailCmd=./x send-email --dry-run fix.patch',
  'GIT_SSH=./x git fetch',
])('P10: %s has git run a program of its own and is HIGH', async (command) =>
  expect(await riskOf(command)).toBe('HIGH'),
);

test.each([
  'git worktree add x',
  'git worktree add .worktrees/x -b feature',
  'git worktree add /tmp/x main',
  'git worktree remove x',
  'git init',
  'git init --template= x',
  'git -c init.defaultBranch=main init x',
  'git config init.defaultBranch main',
  'git bundle create x.bundle HEAD',
  'git bundle verify ../x.bundle',
  'git apply ../x.patch',
  'git config -f .gitmodules submodule.x.branch main',
  'git merge-file --stdout ../a b c',
  'git grep --no-index token src',
  'git -c gpg.format=ssh commit -S',
])('P10: %s stays LOW', async (command) => expect(await riskOf(command)).toBe('LOW'));
