import { join } from 'node:path';
import { inCi } from '@conv/testing-harness';
import { PostgresServer } from '@conv/testing-postgres-server';
import { createS3Server } from '@conv/testing-s3-server';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { TestBrowser } from '../server/support/browser.ts';
import { headlessChromium } from '../server/support/chromium.ts';
import { digestsIn, newFolder } from '../server/support/folders.ts';
import { finishedConversation, modelThatSays, studioFor } from '../server/support/studio.ts';

let chromium: Browser;
beforeAll(async () => void (chromium = await headlessChromium()));
afterAll(() => chromium.close());

/** Looks at each view of a conversation of the list. */
async function lookAround(page: Page, id: string): Promise<void> {
  await page.getByText('Hello').first().click();
  await page.getByText('Hello back.').first().waitFor();
  await page.locator('.conv-details').last().click();
  await page
    .getByRole('heading', { name: /^Event \d+ · / })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Go back to this point' }).click();
  await page.getByRole('slider').fill('1');
  for (const tab of ['State', 'Changes', 'Files', 'Model’s view']) {
    await page.getByRole('tab', { name: tab }).click();
    await expect.poll(() => page.getByRole('tabpanel').textContent()).not.toBe('');
  }
  await page.getByRole('button', { name: 'Understand' }).click();
  await page.getByRole('heading', { name: 'Settings and health' }).waitFor();
  await page
    .getByRole('list', { name: 'Branches' })
    .getByRole('button', { name: /^events 0/ })
    .waitFor();
  await page.goto(`${new URL(page.url()).origin}/studio/compare?a=${id}:1&b=${id}`);
  await page.getByText('in common').waitFor();
}

interface StoreToLookAt {
  /** The address of the store. */
  readonly place: string;
  /** Resolves with a digest of each part of what is stored. */
  readonly digests: () => Promise<Readonly<Record<string, string>>>;
}

async function inFiles(): Promise<StoreToLookAt> {
  const folder = newFolder();
  return { place: `fs:${folder}`, digests: async () => digestsIn(folder) };
}

async function inSqlite(): Promise<StoreToLookAt> {
  const folder = newFolder();
  return { place: `sqlite:${join(folder, 'conversations.db')}`, digests: async () => digestsIn(folder) };
}

/** The version of a row changes with each write, also where the values stay as they were. */
async function inPostgres(): Promise<StoreToLookAt> {
  const postgres = await PostgresServer.start();
  onTestFinished(() => postgres.stop());
  const digests = async (): Promise<Readonly<Record<string, string>>> => {
    const client = new pg.Client({ connectionString: postgres.url() });
    await client.connect();
    try {
      const { rows: tables } = await client.query<{ name: string }>(
        "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
      );
      const found: Record<string, string> = {};
      for (const { name } of tables) {
        const { rows } = await client.query<{ row: string }>(`SELECT xmin || ' ' || t::text AS row FROM ${name} t`);
        found[name] = rows
          .map(({ row }) => row)
          .toSorted()
          .join('\n');
      }
      return found;
    } finally {
      await client.end();
    }
  };
  return { place: postgres.url(), digests };
}

/** A write would change a key, or be among the requests. */
async function inS3(): Promise<StoreToLookAt> {
  const s3 = await createS3Server();
  onTestFinished(() => s3.close());
  s3.createBucket('conversations');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test').stubEnv('AWS_SECRET_ACCESS_KEY', 'test1234');
  onTestFinished(() => void vi.unstubAllEnvs());
  const digests = async (): Promise<Readonly<Record<string, string>>> => {
    const writes = s3.requests.filter(({ operation }) => !/^(?:Get|Head|List)/.test(operation));
    const keys = s3.keys('conversations').map((key) => [key, 'an object']);
    return Object.fromEntries([...keys, ['requests that write', String(writes.length)]]) as Record<string, string>;
  };
  return { place: `s3:conversations/studio?region=us-east-1&endpoint=${s3.url}`, digests };
}

const stores = [
  ['files', inFiles],
  ['SQLite', inSqlite],
  ['PostgreSQL', inPostgres],
  ['S3', inS3],
] as const;

/** Studio reads all stores in one way, so CI takes one on this machine and one on a server. */
test.each(inCi(stores, 2))(
  'a look at every view through studio leaves each byte of a store of %s as it was',
  async (_, make) => {
    const { place, digests } = await make();
    const { environment } = await modelThatSays('Hello back.');
    const writer = await studioFor({ place, environment });
    const id = await finishedConversation(await TestBrowser.opened(writer), join(newFolder(), 'work'));
    await writer.close();
    const before = await digests();
    expect(Object.keys(before).length).toBeGreaterThan(0);
    const studio = await studioFor({ place });
    const context = await chromium.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(100_000);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto(studio.startLink());
    await page.getByText('Read-only, because no model is configured').waitFor();
    await lookAround(page, id);
    await context.close();
    await studio.close();
    expect(await digests()).toEqual(before);
    expect(complaints).toEqual([]);
  },
);
