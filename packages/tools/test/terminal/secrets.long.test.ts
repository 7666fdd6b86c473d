import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { textOf } from '../open-tool.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { metadataOf, openTerminal, PATIENT } from './open-terminal.ts';
import { ENVIRONMENT_HASH, expectForgotten, hashOf, openWithToken, VALUE } from './open-with-token.ts';
import { terminal } from './tested-terminal.ts';

describe('P9: a secret that the command names', () => {
  test('P9: a secret reaches the programs of its command byte for byte, and is gone afterwards', async () => {
    const shell = await openWithToken();
    expect(textOf(await shell.run(`${ENVIRONMENT_HASH} # TOKEN`))).toBe(hashOf(VALUE));
    await expectForgotten(shell);
    expect(textOf(await shell.run(`${ENVIRONMENT_HASH} # TOKEN`))).toBe(hashOf(VALUE));
    expect(textOf(await shell.run('echo "${TOKEN:0:4}"'))).toBe('tok-');
    await expectForgotten(shell);
  });

  test.each([
    ['many lines', `-----BEGIN KEY-----\n${'q/A+'.repeat(20)}\n\n  two  spaces \n-----END KEY-----\n\n`],
    ['quotes and what shells expand', `'"\`$(touch owned)\${HOME}\\n\\0101!!*?[a]~ #;&|<>\t'`],
    ['control characters', `a\x01\x02\x7f\x1b[31m\x1e\x1f\r\b\x04\x03end`],
    ['letters beyond ASCII', 'grüße 🦊 \u0080\u00ff'],
    ['a dot on a line of its own', 'first\n.\nlast'],
    ['nothing but backslashes', '\\\\\\\\c\\\\'],
    ['100 KB', 'x7/\n'.repeat(25_600)],
  ])('P9: a secret with %s arrives unchanged', async (_, value) => {
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets({ TOKEN: value }) });
    expect(textOf(await shell.run(`${ENVIRONMENT_HASH} # TOKEN`))).toBe(hashOf(value));
    expect(readdirSync(shell.session.workingDirectory)).toEqual([]);
    expect(textOf(await shell.run(`LC_ALL=C; ${ENVIRONMENT_HASH} # TOKEN`))).toBe(hashOf(value));
    await expectForgotten(shell);
  });

  test('P9: a secret is not given to a command that holds its name in a longer word', async () => {
    const shell = await openWithToken();
    writeFileSync(join(shell.session.workingDirectory, 'file'), 'my_TOKEN_b\n');
    expect(
      textOf(
        await shell.run(
          `grep my_TOKEN_b file; ${ENVIRONMENT_HASH.replace('TOKEN', '["TO"+"KEN"]').replace('env.', 'env')}`,
        ),
      ),
    ).toBe(`my_TOKEN_b\n${hashOf('none')}`);
  });

  test('P9: 50 secrets at once arrive', async () => {
    const values = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`S${index}`, `value-${index}-${'z'.repeat(index * 40)}`]),
    );
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets(values) });
    const names = Object.keys(values);
    const result = await shell.run(
      `for n in ${names.join(' ')}; do printf '%s=' $n; printf %s "\${!n}" | sha256sum | cut -c -64; done`,
    );
    expect(textOf(result)).toBe(names.map((name) => `${name}=${hashOf(values[name] ?? '')}`).join('\n'));
    expect(textOf(await shell.run('env; set'))).not.toMatch(/<secret-hidden>|^S\d+=/m);
  });

  test('P9: a secret arrives under names that the driver could use itself', async () => {
    const names = [
      'line',
      'nonce',
      'sequence',
      'python',
      'failed',
      'name',
      'names',
      'at',
      'old',
      'i',
      'IFS_',
      'status',
    ];
    const shell = await openTerminal(terminal(), {
      secrets: fakeSecrets(Object.fromEntries(names.map((name) => [name, `value-of-${name}`]))),
    });
    const result = await shell.run(`for n in ${names.join(' ')}; do printf %s "\${!n}" | sha256sum | cut -c -64; done`);
    expect(textOf(result)).toBe(names.map((name) => hashOf(`value-of-${name}`)).join('\n'));
    expect(textOf(await shell.run('env; set'))).not.toMatch(/<secret-hidden>/);
  });

  test.each([
    ['fails', 'false # TOKEN'],
    ['has a syntax error', 'echo "$TOKEN'],
    ['is another syntax error', 'if $TOKEN'],
    ['runs in a subshell', '( : $TOKEN )'],
    ['breaks out', 'for x in 1; do : $TOKEN; break 2; done; return 2>/dev/null'],
    ['meets an unset variable', 'set -u; : $TOKEN; echo $nothing_here'],
    ['traces', 'exec 7>&1; BASH_XTRACEFD=7; set -xv; : $TOKEN'],
    ['exports and types the variable', 'export TOKEN; declare -gux TOKEN; typeset -x TOKEN'],
    ['sets the variable', 'TOKEN=other-$TOKEN; export TOKEN'],
    ['makes it an array', 'TOKEN=("$TOKEN" b); export TOKEN'],
    ['makes it a reference', 'unset TOKEN; declare -n TOKEN=other; other=1'],
    ['unsets it', 'unset TOKEN'],
    ['is POSIX', 'set -o posix; : $TOKEN'],
    ['assigns before a builtin', 'TOKEN=$TOKEN : ; TOKEN=$TOKEN eval true'],
    ['takes a trap', `trap 'x=1' INT; : $TOKEN; kill -INT $$; :`],
    ['has the value as its last word', 'true "$TOKEN"'],
    ['stops at errors inside', '(set -e; : $TOKEN; false); false'],
  ])('P9: a secret is gone after a command that %s', async (_, command) => {
    const shell = await openWithToken();
    const pid = textOf(await shell.run('echo $$'));
    await shell.run(command);
    await expectForgotten(shell);
    expect(textOf(await shell.run('set +u; echo $$'))).toBe(pid);
  });

  test('P9: a secret is gone when the command has ended the shell', async () => {
    const shell = await openWithToken();
    await shell.run('set -e; : $TOKEN; false');
    await expectForgotten(shell);
  });

  test('P9: a secret is gone from the process when the command has put another bash in its place', async () => {
    const shell = await openWithToken();
    const pid = textOf(await shell.run('export kept=1; echo $$'));
    expect((await shell.run('export TOKEN; cd /; exec bash')).fields).toMatchObject({ exit_code: 0, timeout: false });
    await expectForgotten(shell);
    expect(textOf(await shell.run('echo $$ $kept $PWD'))).toBe(`${pid} 1 /`);
  });

  test('P9: a secret is gone when the command makes it readonly: the shell starts anew and says so', async () => {
    const shell = await openWithToken();
    const result = await shell.run('export kept=1; lost=1; readonly TOKEN; (exit 3)');
    expect(textOf(result)).toMatch(/made TOKEN readonly/);
    expect(result.fields?.['exit_code']).toBe(3);
    await expectForgotten(shell);
    expect(textOf(await shell.run('echo "[$kept$lost]"'))).toBe('[1]');
    expect(textOf(await shell.run(`${ENVIRONMENT_HASH} # TOKEN`))).toBe(hashOf(VALUE));
    await expectForgotten(shell);
  });

  test('P9: a command with a secret keeps the folder, variables and functions that it makes', async () => {
    const shell = await openWithToken();
    await shell.run('mkdir sub; cd sub; export mine=1; f() { echo f; }; declare -A map; map[a]=b; : $TOKEN');
    expect(textOf(await shell.run('f; echo $mine ${map[a]}; pwd'))).toBe(
      `f\n1 b\n${shell.session.workingDirectory}/sub`,
    );
  });

  test('P9: a secret stays with a program in the background that was started with it', async () => {
    const shell = await openWithToken();
    await shell.run(`mkfifo go; (read x <go; ${ENVIRONMENT_HASH} >seen; echo >go) & disown; : $TOKEN`);
    await expectForgotten(shell);
    await shell.run('echo >go; read x <go');
    expect(readFileSync(join(shell.session.workingDirectory, 'seen'), 'utf8')).toBe(hashOf(VALUE));
  });
});

test('P7: an interrupted command leaves nothing of the secret behind', async () => {
  const shell = await openWithToken();
  const controller = new AbortController();
  await shell.run('kept=1');
  const call = shell.run('touch started; : $TOKEN; sleep 1000', {}, controller.signal);
  while (!existsSync(join(shell.session.workingDirectory, 'started')))
    await new Promise((resolve) => setImmediate(resolve));
  controller.abort('stop');
  await expect(call).rejects.toBe('stop');
  await expectForgotten(shell);
  expect(textOf(await shell.run('echo $kept'))).toBe('1');
});

test('a command that was ended by C-c leaves nothing of the secret behind', async () => {
  const shell = await openWithToken(terminal({ noOutputTimeout: 0.15 }));
  await shell.run('x=$TOKEN; unset x; while true; do sleep 1; done');
  expect((await shell.run('C-c', PATIENT)).fields?.['exit_code']).toBe(130);
  await expectForgotten(shell);
});

test('typed input reaches a program as the model wrote it: names of secrets are not replaced', async () => {
  const shell = await openWithToken(terminal({ noOutputTimeout: 0.15 }));
  await shell.run('read x; echo "got $x"');
  expect(textOf(await shell.run('$TOKEN', PATIENT))).toBe('got $TOKEN');
});

test('a secret without a value is named in the result, with the reason', async () => {
  const secrets = fakeSecrets({ TOKEN: VALUE, NUL: 'a\0bcdefgh' }, [
    { name: 'LOST', reason: 'it was stored without a cipher.' },
  ]);
  const shell = await openTerminal(terminal(), { secrets });
  const result = await shell.run('echo "[$LOST][$NUL]"');
  expect(textOf(result)).toBe('[][]');
  expect(metadataOf(result)['prefix']).toBe(
    '[The secret LOST has no value here: it was stored without a cipher.]\n[The secret NUL has no value here: it holds a NUL character, which no variable can hold.]\n',
  );
  expect(metadataOf(await shell.run('true'))['prefix']).toBe('');
});

test('a secret with the name of a variable that the shell uses is not given to it, and the result says so', async () => {
  const secrets = fakeSecrets({
    IFS: 'abcdefgh',
    TMOUT: '12345678',
    BASH_ENV: '/some/file',
    __conv_status: '12345678',
  });
  const shell = await openTerminal(terminal(), { secrets });
  const result = await shell.run('echo IFS TMOUT BASH_ENV __conv_status; echo "$TMOUT$BASH_ENV"; (exit 4)');
  expect(textOf(result)).toBe('IFS TMOUT BASH_ENV __conv_status');
  expect(result.fields?.['exit_code']).toBe(4);
  expect(String(metadataOf(result)['prefix']).match(/uses the variable of this name itself/g)).toHaveLength(4);
});

test('a command with the mask in the place of a value is run as it is, and the result explains', async () => {
  const shell = await openWithToken();
  const result = await shell.run(`echo 'Bearer <secret-hidden>'`);
  expect(textOf(result)).toBe('Bearer <secret-hidden>');
  expect(metadataOf(result)['prefix']).toMatch(/replaces a hidden value/);
});
