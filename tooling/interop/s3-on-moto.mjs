// Runs the checks of the tests' S3 server, and the store suite for the store on S3, against moto, an S3 server of other authors.
// Moto is installed into .cache when it is missing. A machine without a Python for it fails.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../bootstrap/process.mjs';
import { findPython } from './find-python.mjs';
import { installPackages } from './install-packages.mjs';

const { MOTO, MOTO_FOLDER } = await import(pathToFileURL(join(root, 'testing/s3-server/dist/moto.js')).href);
if (!existsSync(join(MOTO_FOLDER, 'bin/moto_server'))) {
  execFileSync(findPython().path, ['-m', 'venv', '--clear', MOTO_FOLDER]);
  await installPackages(join(MOTO_FOLDER, 'bin/python'), [MOTO], (line) => process.stderr.write(`${line}\n`));
}

const programs = ['testing/s3-server/dist/check-server.js', 'packages/persist-s3/test/conformance-process.ts'];

for (const program of programs) {
  const child = spawn(process.execPath, [join(root, program)], { cwd: root, stdio: 'inherit' });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) {
    process.exitCode = 1;
    break;
  }
}
