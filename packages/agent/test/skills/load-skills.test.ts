import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isAgentError, loadProjectSkills, loadSkills } from '../../src/index.ts';
import { folderOf } from '../support/folder-of.ts';

const PDF = '---\ndescription: Fills in forms.\nlicense: MIT\n---\nUse fill.py.';

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.unreachable('it was taken'),
    (error: unknown) => error as Error,
  );
}

describe('a folder of skills', () => {
  test('each Markdown file and each folder with a SKILL.md is a skill, by its name or its own word', async () => {
    await using folder = await folderOf({
      'style.md': 'Two spaces.',
      'git.md': '\uFEFF---\r\nname: git help\r\ntriggers: [git, "pull request"]\r\nversion: 2\r\n---\r\nRebase.\r\n',
      'pdf/SKILL.md': PDF,
      'pdf/notes.md': 'not a skill',
      'README.md': 'about this folder',
      'notes.txt': 'no Markdown',
      'deeper/far/SKILL.md': PDF,
    });
    const at = (name: string): string => join(folder.path, name);
    expect(await loadSkills(folder.path)).toEqual([
      {
        name: 'git help',
        content: 'Rebase.',
        source: at('git.md'),
        trigger: { type: 'keyword', keywords: ['git', 'pull request'] },
        version: '2',
      },
      {
        name: 'pdf',
        content: 'Use fill.py.',
        source: at('pdf/SKILL.md'),
        listed: true,
        description: 'Fills in forms.',
        license: 'MIT',
      },
      { name: 'style', content: 'Two spaces.', source: at('style.md') },
    ]);
  });

  test('a skill with inputs is a task, also triggered by its name as a command; paths are kept', async () => {
    await using folder = await folderOf({
      'review.md': '---\ntriggers: [look over]\ninputs:\n  - name: url\n    description: of the change\n---\nReview.',
      'sql.md': '---\npaths: ["**/*.sql"]\n---\nNo SELECT *.',
    });
    const [review, sql] = await loadSkills(folder.path);
    expect(review?.trigger).toEqual({ type: 'task', triggers: ['look over', '/review'] });
    expect(review?.inputs).toEqual([{ name: 'url', description: 'of the change' }]);
    expect(sql?.trigger).toEqual({ type: 'path', paths: ['**/*.sql'] });
  });

  test('empty front matter is none, a rule that never ends is text, and unknown members are passed over', async () => {
    await using folder = await folderOf({
      'a.md': '---\n---\nText.',
      'b.md': '---\nno end',
      'c.md': '---\ntype: repo\nagent: Coder\n---\nText.\n---\nMore.',
    });
    expect((await loadSkills(folder.path)).map(({ content }) => content)).toEqual([
      'Text.',
      '---\nno end',
      'Text.\n---\nMore.',
    ]);
  });

  test.each([
    ['triggers that are no list', 'a.md', '---\ntriggers: git\n---\nText.', 'triggers'],
    ['a name over two lines', 'a.md', '---\nname: "a\\nb"\n---\nText.', 'name'],
    ['an input without description', 'a.md', '---\ninputs: [{ name: x }]\n---\nText.', 'inputs.0.description'],
    ['front matter that is a list', 'a.md', '---\n- a\n---\nText.', 'expected object'],
    ['YAML that is none', 'a.md', '---\nname: a\ndescription: one: two\n---\nText.', 'line 3'],
    ['a text that grows by its aliases', 'a.md', `---\n${growing()}\n---\nText.`, 'front matter'],
    ['no text', 'a.md', '---\nname: a\n---\n', 'content'],
    ['a listed skill that says nothing of itself', 'a/SKILL.md', 'Text.', 'description'],
    ['a file that is too large', 'a.md', 'x'.repeat(64 * 1024 + 1), 'content'],
  ])('%s is refused by file and field', async (_, name, text, field) => {
    await using folder = await folderOf({ [name]: text });
    const error = await failure(loadSkills(folder.path));
    expect(isAgentError(error, 'INVALID_SKILL')).toBe(true);
    expect(error.message).toContain(`${join(folder.path, name)}: `);
    expect(error.message).toContain(field);
  });

  test('two skills with one name are refused, and so is a folder that is not there', async () => {
    await using folder = await folderOf({ 'a.md': 'A.', 'b.md': '---\nname: a\n---\nB.' });
    const twice = await failure(loadSkills(folder.path));
    expect(isAgentError(twice, 'DUPLICATE_SKILL')).toBe(true);
    expect(twice.message).toMatch(/"a" is in both .*a\.md and .*b\.md/);
    const absent = await failure(loadSkills(join(folder.path, 'absent')));
    expect(isAgentError(absent, 'INVALID_SKILL')).toBe(true);
    expect(absent.message).toContain('absent');
  });
});

describe('a project', () => {
  test("instructions of a project always hold; of two skills with one name the earlier folder's is taken", async () => {
    await using folder = await folderOf({
      'AGENTS.md': '---\nnot front matter here\n---\nRun the tests.',
      '.cursorrules': 'No semicolons.',
      'README.md': 'A project.',
      '.agents/skills/pdf/SKILL.md': PDF,
      '.openhands/skills/pdf.md': 'Another one.',
      '.openhands/microagents/repo.md': '---\ntype: repo\n---\nOld but kept.',
    });
    const skills = await loadProjectSkills(folder.path);
    expect(skills.map(({ name }) => name)).toEqual(['.cursorrules', 'AGENTS.md', 'pdf', 'repo']);
    expect(skills[1]?.content).toContain('not front matter here');
    expect(skills[2]?.source).toBe(join(folder.path, '.agents/skills/pdf/SKILL.md'));
    expect(skills.filter(({ trigger, listed }) => !trigger && !listed)).toHaveLength(3);
  });

  test.each([
    ['AGENTS.md', 'secret.txt'],
    ['.agents/skills/deploy.md', 'secret.txt'],
    ['.openhands/skills', 'folder'],
  ])('%s that is a link out of the project is refused, and nothing of its target is told', async (name, target) => {
    await using outside = await folderOf({ 'secret.txt': 'the secret', 'folder/a.md': 'the secret' });
    await using project = await folderOf({ '.git/HEAD': '', '.agents/skills/plain.md': 'Plain.', '.openhands/x': '' });
    const path = join(project.path, name);
    await symlink(join(outside.path, target), path);
    const error = await failure(loadProjectSkills(project.path));
    expect(isAgentError(error, 'INVALID_SKILL')).toBe(true);
    expect(error.message).toMatch(/expected a file in .*, found a link to .*; put the file itself into the project/);
    expect(error.message).not.toContain('the secret');
  });

  test('links to files of the repository that a project lies in are followed', async () => {
    await using repository = await folderOf({
      '.git/HEAD': '',
      'AGENTS.md': 'Run all tests.',
      'part/README.md': 'A part.',
    });
    const part = join(repository.path, 'part');
    await symlink('../AGENTS.md', join(part, 'AGENTS.md'));
    await symlink('AGENTS.md', join(part, '.cursorrules'));
    const skills = await loadProjectSkills(part);
    expect(skills.map(({ content }) => content)).toEqual(['Run all tests.', 'Run all tests.']);
  });

  test("a link into the user's home around a project is refused, also where the home is a repository", async () => {
    await using home = await folderOf({ '.git/HEAD': '', '.netrc': 'the secret', 'code/README.md': 'A project.' });
    vi.stubEnv('HOME', home.path);
    onTestFinished(() => void vi.unstubAllEnvs());
    const project = join(home.path, 'code');
    await symlink('../.netrc', join(project, 'AGENTS.md'));
    const error = await failure(loadProjectSkills(project));
    expect(error.message).toContain(`expected a file in ${project}`);
  });

  test('a project without instructions has no skills', async () => {
    await using folder = await folderOf({ 'AGENTS.md': ' \n', 'notes/a.md': 'A.' });
    expect(await loadProjectSkills(folder.path)).toEqual([]);
    expect(await loadProjectSkills(join(folder.path, 'absent'))).toEqual([]);
  });
});

/** Each line holds the one before ten times. */
function growing(): string {
  const lines = Array.from({ length: 8 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at}, `.repeat(10)}]`);
  return ['l0: &l0 x', ...lines].join('\n');
}
