// A store of your own. `adapter/key-value-store.ts` is an example; the command that checks it here checks yours, too.
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
// Six cases do not apply. Four damage a record and one gives two conversations the log of the other: nothing can be changed
// without the store, because the table keeps its values whole. In one the backend goes away, and a table in a file of this
// machine cannot.
assert.equal(leftOut, 6);
