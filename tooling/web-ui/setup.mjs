import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The published web UI: no dependency of this workspace, because of its 80 MB and of all that it depends on to be built. */
const CANVAS = '@openhands/agent-canvas@1.20.0';
const TARBALL = 'openhands-agent-canvas-1.20.0.tgz';
const INTEGRITY = 'sha512-uq28bmdMapsDN0ltp5ZHYm9xfuk7cHktNkd0NY38w/UTq25wJTqSKSPya+2+ky0+HpGX2vmn0uF3mHuNCoOb2w==';
/** Packages that its static server needs. */
const NEEDS = ['sirv@3.0.2', 'httpxy@0.5.3'];

/** Where it lives; `.cache/` is not in git. */
const FOLDER = resolve(dirname(fileURLToPath(import.meta.url)), '../../.cache/canvas', CANVAS.split('@').at(-1));

/**
 * Resolves with the folder of the unpacked web UI. It is fetched by npm and held against its checksum; its scripts
 * are not run. Called again it returns at once.
 *
 * @param {{ log: (line: string) => void }} options
 * @returns {Promise<string>}
 */
export async function setUpCanvas({ log }) {
  const canvas = join(FOLDER, 'canvas');
  if (existsSync(canvas)) return canvas;
  const started = performance.now();
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(join(FOLDER, 'unpacked'), { recursive: true });
  await writeFile(join(FOLDER, 'package.json'), '{ "private": true }\n');
  await Promise.all([fetched(), npm('install', '--ignore-scripts', '--no-audit', '--no-fund', ...NEEDS)]);
  await run('tar', ['-xzf', join(FOLDER, TARBALL), '-C', join(FOLDER, 'unpacked'), '--strip-components=1']);
  // Renamed last: an interrupted installation is never taken for a whole one.
  await rename(join(FOLDER, 'unpacked'), canvas);
  log(`web UI: ${CANVAS} set up in ${Math.round((performance.now() - started) / 1000)} s`);
  return canvas;
}

async function fetched() {
  await npm('pack', CANVAS);
  const hash = createHash('sha512').update(await readFile(join(FOLDER, TARBALL)));
  const found = `sha512-${hash.digest('base64')}`;
  if (found !== INTEGRITY) throw new Error(`${CANVAS} has the checksum ${found}, expected ${INTEGRITY}`);
}

function npm(...args) {
  return run('npm', [...args, '--silent'], { cwd: FOLDER, maxBuffer: 16 << 20 });
}
