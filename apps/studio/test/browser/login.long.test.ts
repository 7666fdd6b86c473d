import { join } from 'node:path';
import process from 'node:process';
import { askUser } from '@conv/openhands/client-tools';
import { AuthorizationServer, ProtectedMcpServer } from '@conv/testing-harness';
import { call, say, toolResults } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';
import { ServerProgram } from './server-program.ts';
import { axeFindings, openChromium, openStudio } from './studio-page.ts';

/** A folder for pictures, which a person looks at. Default: none are taken. */
const PICTURES = process.env['STUDIO_PICTURES'];

test('a person opens the address that an MCP server needs, allows the access, and the run goes on', async () => {
  const authorization = await AuthorizationServer.start();
  const mcp = await ProtectedMcpServer.start(authorization);
  const browser = await openChromium();
  const server = await ServerProgram.start(
    (request) => (toolResults(request).length === 0 ? call('authorize', {}) : say('You have allowed it.')),
    { CONV_MCP_HOSTS: authorization.host },
  );
  onTestFinished(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
    await Promise.all([authorization.stop(), mcp.stop()]);
  });
  const llm = { model: 'openai/scripted', base_url: server.model.url, api_key: 'none', usage_id: 'agent' };
  const mcp_config = { tickets: { url: mcp.url, auth: { strategy: 'oauth2' } } };
  const id = await server.converse('Go', { client_tools: [askUser], agent_settings: { llm, mcp_config } }, 'Login');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page, complaints } = opened;
  const question = page.getByRole('article', { name: 'The MCP server tickets asks you' });
  const link = question.getByRole('link');
  await link.waitFor();
  expect(await link.getAttribute('href')).toMatch(new RegExp(`^${authorization.issuer}/authorize\\?`));
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
  expect(await axeFindings(page)).toEqual([]);
  // a long address makes no page scroll to the side
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  const overflow = await link.evaluate((shown) => {
    const card = shown.closest('article');
    return (card?.scrollWidth ?? Infinity) - (card?.clientWidth ?? 0);
  });
  expect(overflow).toBe(0);
  await question.getByRole('button', { name: 'I have opened it' }).scrollIntoViewIfNeeded();
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, 'login.png') });
  const [other] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  await other.getByText('Access is granted').waitFor();
  expect(new URL(other.url()).pathname).toBe('/mcp/callback');
  if (PICTURES !== undefined) await other.screenshot({ path: join(PICTURES, 'callback.png') });
  await page.getByText('You have allowed it.').waitFor();
  await expect.poll(() => question.count()).toBe(0);
  expect(complaints).toEqual([]);
});
