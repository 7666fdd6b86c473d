#!/usr/bin/env node
/**
 * Compares how this project and the Python reference read the same folder, written by either. (`npm run interop:folders`)
 *
 *     node tooling/interop/folders.mjs [--json] [--release RELEASE]
 *
 * Prints a row per case, then `N passed, N failed`; `--json` prints one document instead. Exits with 1 when a case failed. A
 * case that cannot run has failed. The reference is installed on first use (`setup-release.mjs`); our side is `ours.mjs`, whose
 * interface is in `ours.d.mts`.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { conversationsBelow, FIXTURES } from './fixtures.mjs';
import { checkRatings, checkViews, FOLDER_CASES } from './folder-cases.mjs';
import { startReference } from './reference.mjs';
import { SHARED_FOLDER_CASES } from './shared-folder-cases.mjs';
import { PINNED } from './releases.mjs';
import { setupRelease } from './setup-release.mjs';

/** The slowest case takes a few seconds; on machines that do much else Python alone takes minutes to start. */
const CASE_TIMEOUT = 600_000;

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, release: { type: 'string', default: PINNED } },
});
const print = (line) => process.stdout.write(`${line}\n`);
const log = values.json ? (line) => process.stderr.write(`${line}\n`) : print;

const results = [];
try {
  await runAll();
} catch (error) {
  record({ name: 'start', conversation: '', failure: error, milliseconds: 0 });
}
const failed = results.filter(({ passed }) => !passed).length;
if (values.json) print(JSON.stringify({ passed: results.length - failed, failed, cases: results }, null, 2));
else print(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || results.length === 0 ? 1 : 0;

async function runAll() {
  const conversations = await conversationsBelow(join(FIXTURES, 'conversations'));
  const { python, version } = await setupRelease(values.release, { log });
  const ours = await loadOurs();
  const reference = startReference(python);
  try {
    await runCase('the reference projects the view cases as committed', '', () => checkViews(reference));
    await runCase('ratings that we show are read from 1.54 on, and refused before', '', () =>
      checkRatings({ reference, ours, version }),
    );
    for (const conversation of conversations) {
      for (const folderCase of [...FOLDER_CASES, ...SHARED_FOLDER_CASES]) {
        const { id } = conversation;
        await runCase(folderCase.name, id, () => folderCase.run({ ...conversation, reference, ours }));
      }
    }
  } finally {
    await reference.close();
  }
}

/** Our side, or a stand-in whose every use fails: without it no case of ours can be reported as anything but failed. */
async function loadOurs() {
  try {
    return await import('./ours.mjs');
  } catch (cause) {
    const fail = () => Promise.reject(new Error(`ours.mjs cannot be loaded: ${cause.message}`, { cause }));
    return { describe: fail, continueFolder: fail, makeRatedFolder: fail, holdFolder: fail };
  }
}

async function runCase(name, conversation, run) {
  const started = performance.now();
  const failure = await withTimeout(run()).then(
    () => undefined,
    (error) => error,
  );
  record({ name, conversation, failure, milliseconds: performance.now() - started });
}

/** A case that hangs must not hide those behind it. */
async function withTimeout(running) {
  const timer = new AbortController();
  const late = setTimeout(CASE_TIMEOUT, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw new Error(`not done after ${CASE_TIMEOUT} ms`);
  });
  try {
    await Promise.race([running, late]);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}

function record({ name, conversation, failure, milliseconds }) {
  const passed = failure === undefined;
  const detail = passed ? '' : String(failure?.message ?? failure);
  results.push({ name, conversation, passed, detail, milliseconds: Math.round(milliseconds) });
  if (values.json) return;
  const time = `${Math.round(milliseconds)} ms`.padStart(8);
  print(`${passed ? 'passed' : 'FAILED'}  ${conversation.slice(0, 8).padEnd(8)}  ${time}  ${name}`);
  if (!passed) print(detail.replaceAll(/^/gm, '          '));
}
