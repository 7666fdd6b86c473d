// Tries to get out of the sandbox. As root on a system with apt it installs bubblewrap, which CI's machine may lack.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPackage } from './bootstrap/install-package.mjs';
import { root } from './bootstrap/process.mjs';

if (process.platform === 'linux' && spawnSync('bwrap', ['--version']).status !== 0) installPackage('bubblewrap');
const program = join(root, 'testing/escape/dist/main.js');
const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
