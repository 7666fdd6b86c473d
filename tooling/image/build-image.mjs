import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../bootstrap/process.mjs';
import { fillRoot } from './fill-root.mjs';

/** Files of packages that no program reads at run time. */
const UNREAD =
  /\.(?:map|d\.[cm]?ts|md|c|cc|cpp|h|gyp|gypi|o|a)$|\/(?:package|bun)-lock|\/deps\/sqlite3\/|\/build\/Release\/obj\//;

/**
 * Builds the image of the agent server from this machine's files; nothing is downloaded. `engine` is podman or docker.
 *
 * @param {{ engine: string, tag: string }} how
 */
export function buildImage({ engine, tag }) {
  const folder = mkdtempSync(join(process.env['CONV_IMAGE_FOLDER'] ?? tmpdir(), 'conv-image-'));
  try {
    const deployed = join(folder, 'deployed');
    execFileSync(
      join(root, 'node_modules/.bin/pnpm'),
      ['--filter', '@conv/agent-server', 'deploy', '--prod', '--legacy', '--prefer-offline', deployed],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const program = join(folder, 'program');
    mkdirSync(program);
    for (const part of ['dist', 'node_modules', 'package.json']) renameSync(join(deployed, part), join(program, part));
    for (const file of filesIn(program)) if (UNREAD.test(file)) rmSync(file);
    const system = join(folder, 'root');
    mkdirSync(system);
    fillRoot(
      system,
      filesIn(program).filter((file) => file.endsWith('.node')),
    );
    rmSync(deployed, { recursive: true });
    const containerfile = join(root, 'tooling/image/Containerfile');
    execFileSync(engine, ['build', '--quiet', '--file', containerfile, '--tag', tag, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
function filesIn(folder) {
  // Node's own list of a folder follows links, of which a package has many
  const output = execFileSync('find', [folder, '-type', 'f'], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return output.split('\n').filter((line) => line !== '');
}
