import { expect, test } from 'vitest';

import { programsOf } from '../src/attempts/programs-of.ts';

test.each([
  ["nohup setsid bash -c 'touch begun; exec -a key sleep 60'", ['nohup', 'setsid', 'sleep', 'touch']],
  ['nsenter --target 1 --mount cat /settings/secret.key', ['cat', 'nsenter']],
  ['echo out >~/bin/git; chmod +x ~/bin/git', ['chmod']],
  ['echo out >.git/hooks/pre-commit', []],
  ['NO_PROXY= no_proxy= curl -s http://localhost:1/', ['curl']],
])('the programs of the command %j are found', (command, programs) => {
  expect(programsOf(command)).toEqual(programs);
});
