import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { take } from './fill-root.mjs';
import { neededLibraries } from './needed-libraries.mjs';
import { missingPackages, systemFiles } from './system-files.mjs';

/** Packages of Debian with programs by which attempts try to get out, and which the image of the agent server does not have. */
const PACKAGES = ['bsdutils', 'curl', 'mount', 'perl-base', 'util-linux'];

/**
 * Builds an image with more programs of this machine than another one, so that every attempt to get out can be made in it. An attempt whose package is not
 * installed here is not made.
 *
 * @param {{ engine: string, tag: string, from: string }} how
 */
export function buildEscape({ engine, tag, from }) {
  const missing = new Set(missingPackages(PACKAGES));
  const folder = mkdtempSync(join(process.env['CONV_IMAGE_FOLDER'] ?? tmpdir(), 'conv-escape-'));
  try {
    const system = join(folder, 'root');
    mkdirSync(system);
    const files = systemFiles(PACKAGES.filter((name) => !missing.has(name)));
    for (const file of files) take(file, system, { follow: false });
    const programs = files.filter((file) => lstatSync(file).isFile());
    for (const library of neededLibraries(programs)) take(library, system, { follow: true });
    writeFileSync(join(folder, 'Containerfile'), `FROM ${from}\nCOPY root /\n`);
    execFileSync(engine, ['build', '--quiet', '--pull=never', '--tag', tag, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
