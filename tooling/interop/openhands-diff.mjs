#!/usr/bin/env node
/**
 * Compares releases of OpenHands and writes `docs/openhands.md`: what each release changed, and what is done with it here.
 * (`npm run openhands:diff`)
 *
 *     node tooling/interop/openhands-diff.mjs [FROM] [TO] [--print]
 *
 * `FROM` is 1.43.1 by default, `TO` the newest release that installs. The last release of each minor version between them has a
 * section, the newest first.
 * `--print` prints the page and writes nothing.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { compareReleases } from './compare-releases.mjs';
import { missingHere, ourMembers } from './our-members.mjs';
import { describeReleases, releasesBetween } from './release-descriptions.mjs';
import { releasePage } from './release-page.mjs';
import { parseReleases, PINNED } from './releases.mjs';
import { setupRelease } from './setup-release.mjs';

const PAGE = fileURLToPath(new URL('../../docs/openhands.md', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { print: { type: 'boolean', default: false } },
});
const log = (line) => process.stderr.write(`${line}\n`);

const [from = PINNED, to = 'newest'] = positionals.flatMap(parseReleases);
const last = (await setupRelease(to, { log })).version;
const versions = await releasesBetween(from, last, log);
const described = await describeReleases(versions, log);
const releases = versions.slice(1).map((version, index) => {
  const before = described.get(versions[index]);
  return { version, changes: compareReleases(before, described.get(version)) };
});
releases.reverse();
if (releases.length === 0) throw new Error(`expected releases after ${from} up to ${last}, found none`);
const ours = ourMembers();
const page = releasePage(releases, ours, { version: last, names: missingHere(described.get(last), ours) });
if (values.print) process.stdout.write(page);
else await writeFile(PAGE, page);
log(`compared: ${versions.length} releases, ${releases.reduce((sum, { changes }) => sum + changes.length, 0)} changes`);
