// A store of your own. `adapter/key-value-store.ts` is one; the command that checks it is the one that checks yours.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const command = fileURLToPath(new URL('dist/command/main.js', import.meta.resolve('@conv/conformance/package.json')));
const harness = fileURLToPath(new URL('adapter/harness.js', import.meta.url));
// npx @conv/conformance ./adapter/harness.ts --json
const { stdout } = await promisify(execFile)(process.execPath, [command, harness, '--json']);
const lines = stdout.trim().split('\n');
const { cases, passed, leftOut } = JSON.parse(lines.at(-1) ?? '{}') as Record<string, number>;
process.stdout.write(`${passed} of ${cases} cases hold\n`);

assert.ok(cases !== undefined && cases > 80);
assert.equal(passed, cases);
// two cases damage a record; nothing can be damaged behind the back of a table that keeps its values whole
assert.equal(leftOut, 3);
