import { expect, test } from 'vitest';
import { startRequest } from '../../src/page/start/start-request.ts';
import { EMPTY_FORM, mistakeIn, type WholeForm } from '../../src/page/start/start-form.ts';
import { toChoices } from '../../src/page/start/agent-choices.ts';

const form: WholeForm = { ...EMPTY_FORM, text: 'hello', agent: { profile: 'p' }, workspace: '/work' };

test.each([
  [{}, undefined],
  [{ text: ' ' }, 'Write a first message.'],
  [{ agent: { own: true } }, 'Name a model, or choose a profile.'],
  [{ workspace: 'relative' }, 'Workspace: enter the whole path of a folder, such as /home/me/project.'],
  [{ limits: { ...form.limits, maxIterations: '0' } }, 'Responses per run: enter a whole number of at least 1.'],
  [{ limits: { ...form.limits, maxBudget: '-1' } }, 'Costs: enter US dollars above 0, or nothing for no limit.'],
  [{ tags: 'Team: web' }, '“Team” is not a valid tag name. Use lower-case letters and digits.'],
] as const)('the form %o has the mistake %s', (change, mistake) => {
  expect(mistakeIn({ ...form, ...change } as WholeForm)).toBe(mistake);
});

test('a request carries limits in the units of the server, and none that is not set', () => {
  const limits = { maxIterations: '20', maxBudgetPerRun: '', maxBudget: '1.5', toolTimeout: '30' };
  const request = startRequest('id', { ...form, limits, tags: 'team: web\nurgent' }, []);
  expect(request).toMatchObject({
    conversation_id: 'id',
    agent_profile_id: 'p',
    max_iterations: 20,
    max_budget: 1.5,
    tool_timeout: 30_000,
    tags: { team: 'web', urgent: '' },
  });
  expect(request).not.toHaveProperty('max_budget_per_run');
});

test('a model of the person is sent with its key and the chosen tools', () => {
  const model = { model: ' openai/gpt ', baseUrl: '', apiKey: 'k' };
  const request = startRequest('id', { ...form, agent: { own: true }, model, tools: ['terminal'] }, []);
  expect(request).toMatchObject({
    agent_settings: { llm: { model: 'openai/gpt', api_key: 'k' }, tools: [{ name: 'terminal', params: {} }] },
  });
});

test('profiles without a stored model are not offered, and the active one is preferred', () => {
  const profiles = [
    { id: '1', name: 'default', llm_profile_ref: 'missing' },
    { id: '2', name: 'fast', llm_profile_ref: 'small' },
    { id: '3', name: 'deep', llm_profile_ref: 'large' },
  ];
  const models = [
    { name: 'small', model: 'm/small' },
    { name: 'large', model: 'm/large' },
  ];
  const choices = toChoices({ profiles, active_agent_profile_id: '3' }, { profiles: models });
  expect(choices.profiles.map(({ name, about }) => [name, about])).toEqual([
    ['fast', 'm/small'],
    ['deep', 'm/large'],
  ]);
  expect(choices.preferred).toEqual({ profile: '3' });
  expect(toChoices({ profiles: [profiles[0] as never] }, {}).preferred).toEqual({ own: true });
});
