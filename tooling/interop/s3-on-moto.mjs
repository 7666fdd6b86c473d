// Runs the checks of the tests' S3 server, and the store suite for the store on S3, against moto, an S3 server of other authors.
// Moto is installed into .cache when it is missing. A machine without a Python for it fails.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../bootstrap/process.mjs';
import { findPython } from './find-python.mjs';

const programs = ['testing/s3-server/dist/check-server.js', 'packages/persist-s3/test/conformance-process.ts'];
const env = { ...process.env, CONV_PYTHON: findPython().path };

for (const program of programs) {
  const child = spawn(process.execPath, [join(root, program)], { cwd: root, env, stdio: 'inherit' });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) {
    process.exitCode = 1;
    break;
  }
}
