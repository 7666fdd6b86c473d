import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findProjectSkills, findSkills, isAgentError, loadSkill } from '../../src/index.ts';
import { folderOf } from '../support/folder-of.ts';

test('a folder of skills that others wrote is read without the files that cannot be, which are named', async () => {
  await using folder = await folderOf({
    'good/SKILL.md': 'No description.',
    'lower/skill.md': `---\ndescription: ${'x'.repeat(5_000)}\n---\nText.`,
    'note.md': '---\ntriggers: [note]\n---\nNote.',
    'bad.md': '---\ntriggers: none\n---\nBad.',
    'same.md': '---\nname: good\n---\nAgain.',
    'installed/deeper/SKILL.md': 'not here',
    'README.md': 'about',
  });
  const { skills, problems } = await findSkills(folder.path);
  expect(skills.map(({ name, listed = false }) => [name, listed])).toEqual([
    ['good', true],
    ['lower', true],
    ['note', false],
  ]);
  expect(skills[1]?.description).toHaveLength(2_000);
  expect(problems).toEqual([expect.stringContaining('bad.md'), expect.stringContaining('same.md')]);
  expect(await findSkills(join(folder.path, 'absent'))).toEqual({ skills: [], problems: [] });
});

test('a skill that the model may not call for is not listed, and comes by its triggers or by its name', async () => {
  await using folder = await folderOf({
    'one/SKILL.md': '---\ndescription: One.\ndisable-model-invocation: true\n---\nOne.',
    'two/SKILL.md': '---\ndescription: Two.\ntriggers: [second]\ndisable-model-invocation: true\n---\nTwo.',
  });
  const { skills } = await findSkills(folder.path);
  expect(skills.map(({ listed = false, trigger }) => [listed, trigger])).toEqual([
    [false, { type: 'keyword', keywords: ['/one'] }],
    [false, { type: 'keyword', keywords: ['second'] }],
  ]);
});

test('the skill in a folder is read by itself, and a folder without one is refused', async () => {
  await using folder = await folderOf({
    'pdf/SKILL.md': '---\nname: pdf-forms\nversion: 3\ndescription: Forms.\n---\nFill.',
    'none/x': '',
    'bad/SKILL.md': '---\n: [\n---\nText.',
  });
  expect(await loadSkill(join(folder.path, 'pdf'))).toMatchObject({ name: 'pdf-forms', version: '3', listed: true });
  await symlink('/etc/hostname', join(folder.path, 'none/SKILL.md'));
  for (const name of ['none', 'bad', 'absent']) {
    const error: unknown = await loadSkill(join(folder.path, name)).catch((refused: unknown) => refused);
    expect([name, isAgentError(error, 'INVALID_SKILL')]).toEqual([name, true]);
  }
});

test('the skills of a project are read without damaged files, and without links out of it', async () => {
  await using folder = await folderOf({
    'AGENTS.md': 'Be kind.',
    '.agents/skills/a.md': 'First.',
    '.openhands/skills/a.md': 'Second.',
    '.openhands/skills/bad.md': '---\nname: 5\n---\nBad.',
    '.openhands/microagents/b.md': 'Old.',
  });
  await using outside = await folderOf({ 'secret.md': 'secret' });
  await symlink(join(outside.path, 'secret.md'), join(folder.path, '.agents/skills/out.md'));
  await mkdir(join(folder.path, '.git'));
  const { skills, problems } = await findProjectSkills(folder.path);
  expect(skills.map(({ name, content }) => [name, content])).toEqual([
    ['AGENTS.md', 'Be kind.'],
    ['a', 'First.'],
    ['b', 'Old.'],
  ]);
  expect(problems).toEqual([expect.stringContaining('out.md'), expect.stringContaining('bad.md')]);
});

/** Puts a link and a file in turns at a path, with no moment in which neither is there, until it is killed. */
const SWAPPING = `
const { renameSync, symlinkSync, writeFileSync } = require('node:fs');
const [, path, target] = process.argv;
process.stdout.write('begun');
for (;;) {
  symlinkSync(target, path + '-next');
  renameSync(path + '-next', path);
  writeFileSync(path + '-next', 'First.');
  renameSync(path + '-next', path);
}`;

test('a skill of a project is not read through a link that comes while it is read', async () => {
  await using folder = await folderOf({ '.agents/skills/a.md': 'First.', '.git/HEAD': '' });
  await using outside = await folderOf({ 'secret.md': 'secret' });
  const path = join(folder.path, '.agents/skills/a.md');
  const program = spawn(process.execPath, ['-e', SWAPPING, path, join(outside.path, 'secret.md')]);
  onTestFinished(() => void program.kill('SIGKILL'));
  await once(program.stdout, 'data');
  const read = new Set<string>();
  for (let tries = 0; tries < 300; tries++)
    for (const { content } of (await findProjectSkills(folder.path)).skills) read.add(content);
  program.kill('SIGKILL');
  await once(program, 'close');
  expect([...read]).toEqual(['First.']);
});

test('a pipe in the place of a skill is a problem, and is not waited for', async () => {
  await using folder = await folderOf({ 'good/SKILL.md': 'Good.', 'pipe/x': '' });
  execFileSync('mkfifo', [join(folder.path, 'pipe/SKILL.md')]);
  const { skills, problems } = await findSkills(folder.path);
  expect([skills.map(({ name }) => name), problems]).toEqual([['good'], [expect.stringContaining('expected a file')]]);
});
