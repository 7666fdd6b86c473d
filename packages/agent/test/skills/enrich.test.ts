import { describe, expect, test } from 'vitest';
import { createAgent, createAgentFactory, type Skill } from '../../src/index.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const git: Skill = {
  name: 'git',
  content: 'Rebase.',
  source: '/srv/skills/git.md',
  trigger: { type: 'keyword', keywords: ['git', 'Pull Request'] },
};
const review: Skill = {
  name: 'review',
  content: 'Review it.',
  trigger: { type: 'task', triggers: ['/review'] },
  inputs: [{ name: 'url', description: 'of the change' }],
};
const always: Skill = { name: 'style', content: 'Two spaces.' };
const sql: Skill = { name: 'sql', content: 'No SELECT *.', trigger: { type: 'path', paths: ['**/git'] } };

const agent = createAgent({ model: scriptedModel([]), skills: [always, review, sql, git] });

function called(text: string, activated: readonly string[] = []): readonly string[] | undefined {
  return agent.enrich?.(text, { activated }).activatedSkills;
}

function calledBy(keyword: string, text: string): boolean {
  const skills: readonly Skill[] = [{ name: 'a', content: 'A.', trigger: { type: 'keyword', keywords: [keyword] } }];
  const made = createAgent({ model: scriptedModel([]), skills });
  return made.enrich?.(text, { activated: [] }).activatedSkills.length === 1;
}

describe('a message calls for a skill', () => {
  test.each([
    ['Use Git, please', ['git']],
    ['open a pull\n  request', ['git']],
    ['(git)', ['git']],
    ['/review the git log', ['review', 'git']],
    ['please /Review.', ['review']],
    ['digital github gitlab git_dir', []],
    ['see src/review and /reviews and /review/a.md and /review.md', []],
    ['review', []],
    ['', []],
  ])('a message calls for a skill by whole words, whatever their case: %j', (text, names) => {
    expect(called(text)).toEqual(names);
  });

  test.each([
    ['c++', 'in C++ please', true],
    ['c++', 'c++x', false],
    ['café', 'at the Cafe\u0301', true],
    ['cafe', 'at the cafe\u0301', false],
    ['git', '𝒂git', false],
    ['日本', '日本語', false],
    ['a.b', 'axb', false],
    ['git', 'digit git', true],
    ['  ', 'two  spaces', false],
  ])('the keyword %j in %j is found: %s', (keyword, text, expected) => {
    expect(calledBy(keyword, text)).toBe(expected);
  });

  test('a message calls for a skill once, and not again when the conversation had it', () => {
    expect(called('git /review', ['git'])).toEqual(['review']);
    expect(called('git', ['git'])).toEqual([]);
  });

  test('the model reads what a called skill says, why it came, and what a task needs to be told', () => {
    const added = agent.enrich?.('/review the git log', { activated: [] }).extendedContent ?? [];
    expect(added).toHaveLength(2);
    expect(added[0]).toMatch(/"\/review"[^]*Review it\.[^]*- url: of the change/);
    expect(added[1]).toMatch(/"git"[^]*From: \/srv\/skills\/git\.md[^]*Rebase\./);
    expect(added[1]).not.toContain('Ask the user');
  });

  test('P7: a message of a megabyte is looked at as far as a request may be long', () => {
    expect(called(`git ${'x'.repeat(1_000_000)}`)).toEqual(['git']);
    expect(called(`${'x '.repeat(500_000)} git`)).toEqual([]);
  });
});

describe('what stands behind every message', () => {
  test('a note behind every message comes last, each time, and names no skill', () => {
    const made = createAgent({ model: scriptedModel([]), skills: [git], userSuffix: ' Be brief.\n' });
    expect(made.enrich?.('Hi', { activated: ['git'] })).toEqual({
      extendedContent: ['Be brief.'],
      activatedSkills: [],
    });
    expect(made.enrich?.('git', { activated: [] }).extendedContent[1]).toBe('Be brief.');
  });

  test('an agent that has nothing to add is not asked', () => {
    const agent = createAgent({ model: scriptedModel([]), skills: [always, sql], userSuffix: ' ' });
    expect(agent).not.toHaveProperty('enrich');
  });

  test('a note is described, and an agent built from that, or with another model, adds the same', async () => {
    const model = scriptedModel([]);
    const made = createAgent({ model, skills: [git, review], userSuffix: 'Be brief.' });
    const description = made.describe();
    expect(description['agent_context']).toMatchObject({ user_message_suffix: 'Be brief.' });
    const revived = await createAgentFactory({ model: () => model }).revive(description);
    const expected = made.enrich?.('git /review', { activated: [] });
    expect(expected?.activatedSkills).toEqual(['git', 'review']);
    expect(revived?.enrich?.('git /review', { activated: [] })).toEqual(expected);
    expect(made.withModel(scriptedModel([])).enrich?.('git /review', { activated: [] })).toEqual(expected);
  });
});
