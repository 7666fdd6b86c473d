import { homedir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { patternSecurityAnalyzer } from '../../src/index.ts';
import { circumstances } from './corpus/read-corpus.ts';
import { actionWith } from './rate.ts';

const analyzer = patternSecurityAnalyzer();
const OUTSIDE = 'Makes a link that leads out of the workspace, so that later paths through it look like paths inside.';

describe('links that a command makes', () => {
  test.each([
    'ln -s ~/Documents l',
    'ln -s /srv/prod l',
    'ln -s /opt/data l',
    'ln -s ../sibling l',
    'ln -s ../sibling',
    'ln -s src/a /srv/b links/',
    'ln -sft . /srv/prod',
    'ln -s --target-directory=links /srv/prod',
    'ln -s "$(cat target)" l',
    `ln -s ${homedir()}/other /tmp/l`,
    'ln -rs ../sibling src/l',
    'link ../sibling/file l',
    'cp -rs /srv/prod l',
    'cp --link ../sibling/file l',
  ])('P10: %s is HIGH, because it leads out of the workspace', async (command) => {
    const rated = await analyzer.assess(actionWith({ command }), circumstances);
    expect(rated).toMatchObject({ risk: 'HIGH', reasons: expect.arrayContaining([OUTSIDE]) });
  });

  test.each([
    'ln -s ../shared src/shared',
    'ln -s ../../node_modules packages/a/node_modules',
    'ln -s "$PWD/x" y',
    'ln -s /tmp/x y',
    'ln -sf /dev/null log',
    'ln a b',
    'cp -al dist dist-old',
  ])('P10: %s is LOW, because the link stays inside', async (command) => {
    expect(await analyzer.assess(actionWith({ command }), circumstances)).toMatchObject({ risk: 'LOW' });
  });
});
