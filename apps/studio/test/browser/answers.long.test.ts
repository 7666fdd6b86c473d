import { askUser } from '@conv/openhands/client-tools';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { script } from './script.ts';
import { ServerProgram } from './server-program.ts';
import { axeFindings, openChromium, openStudio, statusOf } from './studio-page.ts';

let browser: Browser;
let server: ServerProgram;

beforeAll(async () => {
  [browser, server] = await Promise.all([openChromium(), ServerProgram.start(script)]);
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});
test('a call of a client tool stands first in the list until a person answers it', async () => {
  const tool = {
    name: 'ask_person',
    description: 'Asks the person.',
    parameters: { type: 'object', properties: { question: { type: 'string' } } },
    answers: 'caller',
  };
  const id = await server.converse('question', { client_tools: [tool] }, 'Ask');
  // a newer conversation, which does not wait
  await server.converse('hello', {}, 'Later');
  await using opened = await openStudio(browser, server, '/');
  const { page } = opened;
  const first = page.getByRole('listitem').first();
  await first.getByText('Asks you').waitFor();
  await first.getByRole('link', { name: 'Ask' }).click();
  await expect.poll(() => statusOf(page)).toContain('Asks you');
  await page.getByLabel('Answer to ask_person').fill('blue');
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByText('Done with 1 results.').first().waitFor();
  expect(JSON.stringify((await server.eventsOf(id)).find(({ kind }) => kind === 'ObservationEvent'))).toContain('blue');
});

/** Resolves with the results of calls of a conversation as text. */
async function resultsOf(id: string): Promise<string> {
  const results = (await server.eventsOf(id)).filter(({ kind }) => kind === 'ObservationEvent');
  return JSON.stringify(results).replaceAll('\\', '');
}

test('a question to the user is a form with defaults, whose answer has what the person saw and no more', async () => {
  const id = await server.converse('fields', { client_tools: [askUser] }, 'Form');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page, complaints } = opened;
  const form = page.getByRole('article', { name: 'What shall I paint?' });
  const send = form.getByRole('button', { name: 'Answer', exact: true });
  await form.getByText('What shall I paint?').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const size = form.getByLabel('size');
  expect(await size.inputValue()).toBe('3');
  expect(await form.getByLabel('Action').inputValue()).toBe('paint');
  await form.getByLabel('Name of the thing').fill('the door');
  await size.fill('0');
  expect(await size.evaluate((field) => (field as HTMLInputElement).validity.rangeUnderflow)).toBe(true);
  await size.fill('4');
  await form.getByLabel('Action').fill('');
  await form.getByLabel('colour').selectOption('blue');
  await form.getByLabel('tags').selectOption(['new', 'old']);
  await send.click();
  // the error stands at its field
  const tags = form.getByRole('listbox', { name: 'tags' });
  await expect.poll(() => tags.getAttribute('aria-invalid')).toBe('true');
  await tags.selectOption([]);
  await send.click();
  await page.getByText('Done with 1 results.').first().waitFor();
  expect(await resultsOf(id)).toContain(
    '{"action":"accept","content":{"name":"the door","size":4,"colour":"blue","action":"","tags":[]}}',
  );
  expect(complaints).toEqual([]);
});

test('a double click answers a question once, and the agent runs on where it was at rest', async () => {
  const id = await server.converse('asks me', { client_tools: [askUser] }, 'Twice');
  {
    await using source = await openStudio(browser, server, `/c/${id}`);
    await source.page.getByRole('article', { name: 'Which colour?' }).waitFor();
  }
  // the question is open in a fork too, which has no run
  const { id: fork } = await server.call<{ readonly id: string }>('POST', `/api/conversations/${id}/fork`, {});
  await using opened = await openStudio(browser, server, `/c/${fork}`);
  const { page, complaints } = opened;
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname));
  const question = page.getByRole('article', { name: 'Which colour?' });
  await question.getByRole('button', { name: 'blue', exact: true }).dblclick();
  await page.getByText('Done with 1 results.').first().waitFor();
  expect(await resultsOf(fork)).toContain('"blue"');
  expect(sent.filter((path) => path.endsWith('/answer_call'))).toHaveLength(1);
  expect(complaints).toEqual([]);
});

test('a question is declined, and the agent reads that', async () => {
  const id = await server.converse('asks me', { client_tools: [askUser] }, 'Declined');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page } = opened;
  await page.getByRole('article', { name: 'Which colour?' }).getByRole('button', { name: 'Decline' }).click();
  await page.getByText('Done with 1 results.').first().waitFor();
  expect(await resultsOf(id)).toContain('The user declined to answer.');
});

test('a call of a tool of a client with the name of the built-in one is no question', async () => {
  const parameters = { type: 'object', properties: { about: { type: 'string' } } };
  const tool = { name: 'ask_user', description: 'Asks.', parameters, answers: 'caller' };
  const id = await server.converse('own tool', { client_tools: [tool] }, 'Own');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page } = opened;
  await page.getByLabel('Answer to ask_user').fill('blue');
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByText('Done with 1 results.').first().waitFor();
  expect(await resultsOf(id)).toContain('blue');
});
