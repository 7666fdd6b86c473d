import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { conv } from './command.ts';

const isHere = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/** A home of a person with a workspace in it, outside of the folder of temporary files. */
function newHome(): { readonly cwd: string; readonly env: { readonly HOME: string } } {
  const base = join(import.meta.dirname, '../.cache');
  mkdirSync(base, { recursive: true });
  const HOME = realpathSync(mkdtempSync(join(base, 'home-')));
  onTestFinished(() => rmSync(HOME, { recursive: true, force: true }));
  const cwd = join(HOME, 'project');
  for (const folder of [cwd, join(HOME, '.ssh'), join(HOME, '.npm')]) mkdirSync(folder);
  writeFileSync(
    join(HOME, '.gitconfig'),
    '[user]\n\tname = A Person\n\temail = person@example.org\n[commit]\n\tgpgsign = true\n',
  );
  writeFileSync(join(HOME, '.ssh/id_ed25519'), 'PRIVATE KEY');
  return { cwd, env: { HOME } };
}

describe.skipIf(!isHere)('an agent without the option --sandbox', () => {
  test('an agent commits under the name of its user, uses python, and sees no keys', async () => {
    const setting = newHome();
    const commit = 'git init -q && git commit -q --allow-empty -m first; git log --format="%an <%ae>"';
    const python = 'python3 -c "print(6 * 7)"';
    const task = `\`${commit}\` \`${python}\` \`cat ~/.ssh/id_ed25519\` \`touch ../beside\``;
    const { stdout, stderr } = await conv(setting, 'run', task, '--workspace', '.');
    expect(stderr).toContain('Commands run in a sandbox (bubblewrap).');
    expect(stdout).toContain('A Person <person@example.org>');
    expect(stdout).toMatch(/^\W*42$/m);
    expect(stdout).not.toContain('PRIVATE KEY');
    expect(stdout).toMatch(/id_ed25519: No such\s/);
    expect(existsSync(join(setting.env.HOME, 'beside'))).toBe(false);
  });

  test("an agent finds what npm fetched for its folder before, and the user's cache stays empty", async () => {
    const setting = newHome();
    const make =
      'mkdir -p tool && cd tool && printf \'{"name":"tool-of-test","version":"1.0.0","bin":"run.js"}\' >package.json && ' +
      'printf "#!/usr/bin/env node\\nconsole.log(\'tool ran\')\\n" >run.js && chmod +x run.js && npm pack --silent && cd ..';
    const npx = 'npx --offline --yes ./tool/tool-of-test-1.0.0.tgz';
    const first = await conv(setting, 'run', `\`${make}\` \`${npx}\``, '--workspace', '.');
    expect(first.stdout).toContain('tool ran');
    const second = await conv(setting, 'run', '`ls ~/.npm`', '--workspace', '.');
    expect(second.stdout).toContain('_cacache');
    expect(readdirSync(join(setting.env.HOME, '.npm'))).toEqual([]);
  });

  test('P9: an agent does not see the logins of its user, though they lie in its folder', async () => {
    const { cwd, env } = newHome();
    const data = join(cwd, 'data');
    const logins = join(data, 'conv/logins');
    mkdirSync(logins, { recursive: true });
    writeFileSync(join(logins, 'secret.key'), 'KEY OF LOGINS');
    const task = '`ls data/conv` `cat data/conv/logins/secret.key`';
    const { stdout } = await conv({ cwd, env: { ...env, XDG_DATA_HOME: data } }, 'run', task, '--workspace', '.');
    expect(stdout).toContain('logins');
    expect(stdout).not.toContain('KEY OF LOGINS');
    expect(stdout).toMatch(/secret.key: No such\s/);
  });

  test('an agent is not confined when the person says so', async () => {
    const setting = newHome();
    const { stdout, stderr } = await conv(
      setting,
      'run',
      '`cat ~/.ssh/id_ed25519`',
      '--workspace',
      '.',
      '--sandbox',
      'off',
    );
    expect(stderr).not.toContain('sandbox (');
    expect(stdout).toContain('PRIVATE KEY');
  });
});
