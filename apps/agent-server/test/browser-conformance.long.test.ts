import { inCi } from '@conv/testing-harness';
import { afterAll, expect, test } from 'vitest';

import type { PageProgram } from './browser/bridge.ts';
import { openPage } from './browser/open-page.ts';
import { Servers } from './browser/servers.ts';

// models are made where the server is, and pages cannot list listeners, descriptors and timers
const features = {
  fork: true,
  commits: true,
  kill: true,
  keepsRuns: true,
  secrets: true,
  stuckDetection: true,
  models: false,
  toolConcurrency: true,
  clientTools: true,
  ownTools: true,
  answerCall: true,
  edits: true,
  rerunActions: false,
  outline: true,
  view: true,
  unknownAnalyzers: false,
};

const NEED_NODE = /listener|descriptor|timers/;

const open = await openPage();
const servers = new Servers(open.page);
await open.page.exposeFunction('server', servers.command);
await open.page.addScriptTag({ url: '/program.js', type: 'module' });
await open.page.waitForFunction(() => 'program' in globalThis);
const names = await open.page.evaluate(
  (given) => (globalThis as unknown as { program: PageProgram }).program.names(given),
  features,
);

afterAll(async () => {
  await servers.close();
  await open[Symbol.asyncDispose]();
});

test('the remote client runs in a Chromium', async () => {
  expect(open.version).toMatch(/Chrom/);
  expect(await open.page.evaluate((name) => typeof Reflect.get(globalThis, name), 'process')).toBe('undefined');
  expect(names.length).toBeGreaterThan(60);
});

/** The client is the same as on Node. */
const tried = inCi(
  names.filter((name) => !NEED_NODE.test(name)),
  6,
);

test.each(tried)('%s in a Chromium', async (name) => {
  const failure = await open.page.evaluate(
    ([given, one]) => (globalThis as unknown as { program: PageProgram }).program.run(given, one),
    [features, name] as const,
  );
  expect(failure).toBeUndefined();
});
