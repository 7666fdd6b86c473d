#!/usr/bin/env node
/**
 * Says if a release of OpenHands has appeared that `docs/openhands.md` does not have yet.
 *
 *     node tooling/interop/newest-release.mjs
 *
 * Prints `recorded=VERSION`, `newest=VERSION` and `appeared=true` or `false`, a line each, as workflows read outputs of a step. Exits with 1
 * if the package index does not answer, because a release would be missed.
 */
import { readFile } from 'node:fs/promises';
import { releasesOfIndex } from './release-descriptions.mjs';
import { recordedRelease, releaseLines } from './releases.mjs';

const PAGE = new URL('../../docs/openhands.md', import.meta.url);

const recorded = recordedRelease(await readFile(PAGE, 'utf8'));
process.stdout.write(releaseLines(recorded, await releasesOfIndex((line) => process.stderr.write(`${line}\n`))));
