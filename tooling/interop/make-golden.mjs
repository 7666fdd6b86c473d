#!/usr/bin/env node
/**
 * Writes `testing/fixtures/golden/<id>.json`, what the reference reads in every folder of
 * `testing/fixtures/conversations`, and `testing/fixtures/views/<case>.json`, what it makes of the logs of
 * `view_cases.py`. With `--from FOLDER` it first takes over the conversations found there.
 *
 *     node tooling/interop/make-golden.mjs [--from FOLDER]
 */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { conversationsBelow, FIXTURES, SECRET_KEY } from './fixtures.mjs';
import { startReference } from './reference.mjs';
import { setup } from './setup.mjs';

const { values } = parseArgs({ options: { from: { type: 'string' } } });
const log = (line) => process.stdout.write(`${line}\n`);
const conversations = join(FIXTURES, 'conversations');
const golden = join(FIXTURES, 'golden');

if (values.from !== undefined) {
  for (const { id, folder } of await conversationsBelow(resolve(values.from))) {
    await rm(join(conversations, id), { recursive: true, force: true });
    await cp(folder, join(conversations, id), { recursive: true });
    log(`taken over: ${id}`);
  }
}

const python = await setup({ log });
const reference = startReference(python);
try {
  await rm(golden, { recursive: true, force: true });
  await mkdir(golden);
  for (const { id, folder } of await conversationsBelow(conversations)) {
    const description = await reference.describe(folder, SECRET_KEY);
    await writeFile(join(golden, `${id}.json`), `${JSON.stringify(description, null, 2)}\n`);
    log(`golden: ${id}, ${description.event_count} events, ${description.messages.length} messages`);
  }
  log(`views: ${await reference.projectViews(join(FIXTURES, 'views'))} cases`);
} finally {
  await reference.close();
}
