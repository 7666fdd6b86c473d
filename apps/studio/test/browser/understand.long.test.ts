import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { script } from './script.ts';
import { type SaidConversation, ServerProgram } from './server-program.ts';
import { axeFindings, openChromium, openStudio } from './studio-page.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openChromium();
});

afterAll(() => browser.close());

interface SaidEvent {
  readonly id: string;
  readonly kind: string;
}

/** Sends a message and waits for the end of its run. */
async function say(server: ServerProgram, id: string, text: string): Promise<void> {
  await server.call('POST', `/api/conversations/${id}/events`, {
    role: 'user',
    content: [{ type: 'text', text }],
    run: true,
  });
  await ended(server, id, `You wrote: ${text}`);
}

/** Resolves when a conversation has an answer and its run is over. */
async function ended(server: ServerProgram, id: string, answer: string): Promise<void> {
  await expect.poll(async () => JSON.stringify(await eventsOf(server, id))).toContain(answer);
  await expect
    .poll(async () => (await server.call<SaidConversation>('GET', `/api/conversations/${id}`)).execution_status)
    .toBe('finished');
}

async function eventsOf(server: ServerProgram, id: string): Promise<readonly SaidEvent[]> {
  return (await server.call<{ items: SaidEvent[] }>('GET', `/api/conversations/${id}/events/search`)).items;
}

test('the tree shows branches, an approval and a fork where they stand, and leads to them', async () => {
  await using server = await ServerProgram.start(script);
  const id = await server.converse('one', {}, 'Tree');
  await ended(server, id, 'You wrote: one');
  const events = await eventsOf(server, id);
  const last = events.length - 1;
  await server.call('POST', `/api/conversations/${id}/navigate`, { event_id: events[0]?.id });
  await say(server, id, 'two');
  await server.call('PATCH', `/api/conversations/${id}`, { title: 'Tree' });
  const fork = { title: 'A fork of it', from_event_id: events[1]?.id };
  await server.call('POST', `/api/conversations/${id}/fork`, fork);
  await server.call('POST', `/api/conversations/${id}/confirmation_policy`, { policy: { kind: 'AlwaysConfirm' } });
  await server.call('POST', `/api/conversations/${id}/events`, {
    role: 'user',
    content: [{ type: 'text', text: 'risky' }],
    run: true,
  });
  await using opened = await openStudio(browser, server, `/c/${id}/understand`);
  const { page, complaints } = opened;
  const tree = page.getByRole('list', { name: 'Branches' });
  const texts = (): Promise<readonly string[]> => tree.locator(':scope > li').allTextContents();
  await expect.poll(async () => (await texts()).length).toBe(2);
  await expect.poll(async () => (await texts())[1]).toContain('waits for approval');
  const [first = '', second = ''] = await texts();
  expect(first).toContain(`events 0–${last}`);
  expect(first).toContain('Fork after event 1A fork of it');
  expect(second).toMatch(new RegExp(`^events ${last + 1}–\\d+after event 0, .*live`));
  // a model without a price costs nothing, and the chart says no other height
  const costs = page.getByRole('figure', { name: 'Cost of each step' });
  expect(await costs.locator('figcaption').textContent()).toBe('Cost of each stepup to $0');
  expect(await axeFindings(page)).toEqual([]);
  await tree.getByRole('button', { name: 'A fork of it' }).click();
  await page.getByRole('heading', { name: 'A fork of it' }).waitFor();
  expect(complaints).toEqual([]);
});

/** Flips a bit of a text in the log of a store, and removes the copies of the event that has it. */
async function damage(store: string, lost: string): Promise<void> {
  let flipped = 0;
  for (const entry of await readdir(store, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    const at = bytes.indexOf(lost);
    if (at === -1) continue;
    if (entry.name.endsWith('.wal')) {
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(file, bytes);
      flipped++;
    } else await rm(file);
  }
  if (flipped === 0) throw new Error(`expected ${lost} in a log of ${store}, found none`);
}

test('damaged events of a store of files are named in the view that explains, and the rest is shown', async () => {
  await using server = await ServerProgram.start(script);
  const id = await server.converse('before it', {}, 'Broken disk');
  await ended(server, id, 'You wrote: before it');
  await say(server, id, 'words that are lost');
  await say(server, id, 'after it');
  await server.kill();
  await damage(join(server.folder, 'workspace', 'conversations'), 'words that are lost');
  await server.start();
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page, complaints } = opened;
  await page.getByText('Part of this log was lost to damage.').waitFor();
  await page.getByText('You wrote: after it').first().waitFor();
  await page.getByRole('button', { name: 'Understand' }).click();
  await page.getByRole('heading', { name: 'Damage' }).waitFor();
  const damaged = page.getByRole('list', { name: 'Damaged commits' });
  await expect.poll(() => damaged.textContent()).toMatch(/Commits? \d+.*damaged/);
  expect(await page.getByText('The stored log is whole.').count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
