import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';

import { expect, test } from 'vitest';

/** Rates commands in a process with this home folder, which a process reads once. */
function risksWith(home: string, commands: readonly string[]): readonly string[] {
  const source = `
    const { patternSecurityAnalyzer } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/index.ts'))});
    const { actionWith } = await import(${JSON.stringify(join(import.meta.dirname, 'rate.ts'))});
    const { signal } = new AbortController();
    const risks = [];
    for (const command of ${JSON.stringify(commands)})
      risks.push((await patternSecurityAnalyzer().assess(actionWith({ command }), { signal, workingDirectory: '/srv/project' })).risk);
    process.stdout.write(JSON.stringify(risks));`;
  const environment = { ...process.env, HOME: home };
  const written = execFileSync(process.execPath, ['--input-type=module', '-e', source], { env: environment });
  return JSON.parse(written.toString()) as readonly string[];
}

const DELETES = ['rm -rf ~', 'rm -rf ~/*', 'find ~ -type f -delete', 'mv ~ /srv/project/old'];

test.each(['/home/dev', '/tmp/home', '/tmp'])('P10: the home folder is no temporary file where it is %s', (home) => {
  expect(risksWith(home, DELETES)).toEqual(DELETES.map(() => 'HIGH'));
});

test.each(['/home/dev', '/tmp', '/'])(
  'a temporary file may be written and deleted where the home folder is %s',
  (home) => {
    expect(risksWith(home, ['rm -rf /tmp/build', 'echo x > /tmp/notes.txt'])).toEqual(['LOW', 'LOW']);
  },
);
