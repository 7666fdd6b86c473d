import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { keptPort } from '@conv/testing-harness';
import { createModelServer } from '@conv/testing-model-server';
import type { Browser, BrowserContext } from 'playwright-core';

import { makeProject, storyScript } from './story.ts';
import { StudioServer } from './studio-server.ts';

const SIZE = { width: 1280, height: 840 };

/** Takes pictures of studio, in both colour schemes, of conversations that are played first. Resolves with their files. */
export async function takeStudioPictures(browser: Browser, target: string): Promise<readonly string[]> {
  // the same paths in all pictures
  const folder = join(tmpdir(), 'conv-pictures');
  await rm(folder, { recursive: true, force: true });
  const work = join(folder, 'website');
  await makeProject(work);
  const model = await createModelServer({ script: storyScript(work) });
  try {
    await using server = await StudioServer.start(folder, await keptPort());
    const shown = await play(server, model.url, work);
    const files: string[] = [];
    for (const scheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport: SIZE, colorScheme: scheme, reducedMotion: 'reduce' });
      await context.request.post(`${server.url}/api/auth/session`, { headers: { ...server.headers } });
      files.push(...(await take(context, server.url, shown, (name) => join(target, `studio-${name}-${scheme}.png`))));
      await context.close();
    }
    return files;
  } finally {
    await model.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Played {
  readonly finished: string;
  /** A call of it waits for a person. */
  readonly waiting: string;
}

/** Plays the conversations; resolves with the ids of the ones to open. */
async function play(server: StudioServer, model: string, work: string): Promise<Played> {
  const asking = {
    confirmation_policy: { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: false },
    security_analyzer: { kind: 'LLMSecurityAnalyzer' },
  };
  const failed = await server.converse('Please translate the README.', model, work);
  await server.name(failed, 'Translate the README', { team: 'docs' });
  const short = await server.converse('Which licence fits a library?', model, work);
  await server.name(short, 'Which licence fits?', { team: 'web' });
  const finished = await server.converse('The test of slug fails. Please mend it.', model, work, asking);
  await server.name(finished, 'Mend the slug of titles', { team: 'web' });
  const waiting = await server.converse('The tests pass again. Now publish it.', model, work, asking);
  await server.name(waiting, 'Publish the website', { team: 'web' });
  return { finished, waiting };
}

async function take(
  context: BrowserContext,
  url: string,
  { finished, waiting }: Played,
  fileOf: (name: string) => string,
): Promise<readonly string[]> {
  const page = await context.newPage();
  const files: string[] = [];
  for (const [name, path, sign] of [
    ['list', '/', 'Mend the slug of titles'],
    ['approval', `/c/${waiting}`, 'Publish the branch'],
    ['time-machine', `/c/${finished}?e=7`, 'Join words alone'],
  ] as const) {
    await page.goto(`${url}/studio${path}`);
    await page.getByText(sign).first().waitFor();
    await page.waitForLoadState('networkidle').catch(() => undefined);
    const file = fileOf(name);
    await page.screenshot({ path: file });
    files.push(file);
  }
  return files;
}
