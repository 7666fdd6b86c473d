#!/usr/bin/env node
/**
 * OpenHands' web UI in front of the agent server, in headless Chromium. (`npm run interop:web`)
 *
 *     node tooling/web-ui/web-ui.mjs [--json] [--keep] [--theirs [--release VERSION]]
 *
 * Prints one table, or with `--json` one document; exits with 1 when a step does not hold. After each step a picture of the page is
 * in `.cache/web-ui/`. `--keep` leaves the server's folder and the logs. `--theirs` uses OpenHands' agent server of a release, by default the newest.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { forksOf } from '../interop/forks.mjs';
import { startModel } from '../interop/model.mjs';
import { environment, KEY, startOurServer, startTheirServer } from '../interop/servers.mjs';
import { setupRelease } from '../interop/setup-release.mjs';
import { table } from '../interop/table.mjs';
import { startAutomation } from './automation.mjs';
import { openBrowser } from './browser.mjs';
import { startCanvas } from './canvas.mjs';
import { Chat } from './chat.mjs';
import { findBrowser } from './find-browser.mjs';
import { Place } from './place.mjs';
import { setUpCanvas } from './setup.mjs';
import { prepare, STEPS } from './steps.mjs';

const PICTURES = resolve(import.meta.dirname, '../../.cache/web-ui');

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    theirs: { type: 'boolean', default: false },
    release: { type: 'string', default: 'newest' },
  },
});
const PAIR = values.theirs ? 'web-ui/openhands-server' : 'web-ui/our-server';
const log = (line) => process.stderr.write(`${line}\n`);
const started = performance.now();
const folder = await mkdtemp(join(tmpdir(), 'conv-web-ui-'));
const results = await visit();
if (values.keep) log(`folders and logs: ${folder}`);
else await rm(folder, { recursive: true, force: true, maxRetries: 3 });
const failed = results.filter(({ ok }) => !ok).length;
const passed = results.length - failed;
const ms = Math.round(performance.now() - started);
process.stdout.write(
  values.json
    ? `${JSON.stringify({ passed, failed, ms, cases: results }, null, 2)}\n`
    : table(results, { passed, failed, ms }),
);
process.exitCode = failed === 0 ? 0 : 1;

async function visit() {
  const opened = [];
  const closedLater = (part) => {
    opened.unshift(part);
    return part;
  };
  try {
    await rm(PICTURES, { recursive: true, force: true });
    await mkdir(PICTURES, { recursive: true });
    const { path, version } = findBrowser();
    log(`browser: ${version}`);
    const canvas = await setUpCanvas({ log });
    const model = closedLater(await startModel());
    const server = closedLater(values.theirs ? await theirServer(closedLater) : await startOurServer(folder));
    const automation = closedLater(await startAutomation());
    const front = closedLater(
      await startCanvas({
        canvas,
        server: server.url,
        automation: automation.url,
        key: KEY,
        log: join(folder, 'canvas.log'),
      }),
    );
    const place = new Place({ url: server.url, folder });
    const earlier = await prepare({ place, model, folder });
    const { page, faults, expectOutage } = closedLater(await openBrowser({ path, url: front.url }));
    const chat = new Chat(page);
    const all = await takeSteps({ page, faults, expectOutage, chat, place, server, url: front.url, earlier });
    for (const request of faults.absent) log(`not on an agent server: ${request}`);
    for (const request of faults.unanswered) log(`unanswered: ${request}`);
    return all;
  } finally {
    for (const part of opened) await part.close();
  }
}

/** Starts OpenHands' server. Its process ends with the program that forks it. */
async function theirServer(closedLater) {
  const found = await setupRelease(values.release, { log });
  const forks = closedLater(forksOf(found.python, environment(folder)));
  return startTheirServer(folder, { ...found, forks });
}

/** Takes the steps in order. A step after a failed step fails too, because it has nowhere to go on from. */
async function takeSteps(visit) {
  const taken = [];
  for (const [index, step] of STEPS.entries()) {
    const { name, asserts } = step;
    const begun = performance.now();
    const previous = taken.at(-1);
    const result = { pair: PAIR, case: name, asserts, ok: true };
    try {
      if (previous?.ok === false) throw new Error(`not tried, as '${previous.case}' failed`);
      await step.run(visit);
    } catch (error) {
      result.ok = false;
      result.detail = String(error.message);
    }
    result.ms = Math.round(performance.now() - begun);
    taken.push(result);
    if (!result.detail?.startsWith('not tried')) await picture(visit.page, `${index + 1}-${name}`);
  }
  return taken;
}

async function picture(page, name) {
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
}
