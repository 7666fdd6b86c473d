import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { readConfig } from '../src/config/read-config.ts';
import { newFolder } from './new-folder.ts';

test('paths of a configuration start from its folder, absolute paths stay', () => {
  const folder = newFolder();
  const file = join(folder, 'conv.yaml');
  writeFileSync(file, 'skills: [skills]\nagents: [../agents]\nsandboxRead: [data, /srv/data]');
  expect(readConfig(file)).toMatchObject({
    skills: [join(folder, 'skills')],
    agents: [join(folder, '../agents')],
    sandboxRead: [join(folder, 'data'), '/srv/data'],
  });
});
