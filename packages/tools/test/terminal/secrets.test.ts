import { createHash, randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { terminal } from '../../src/index.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { textOf } from '../open-tool.ts';
import { metadataOf, openTerminal, type TerminalFixture } from './open-terminal.ts';

// new each time, as test runners keep copies of this file
const VALUE = `tok-${randomBytes(8).toString('hex')}`;
const HASH = hashOf(VALUE);
/** Prints the hash of what a program finds in its environment: a value would be masked, a hash is not. */
const ENV_HASH = `node -e 'process.stdout.write(crypto.createHash("sha256").update(process.env.TOKEN ?? "none").digest("hex"))'`;
/** Where a shell could still show a value. */
const EVERYWHERE = `echo "$_"; env; export -p; set; declare -p; compgen -v; tr '\\0' '\\n' </proc/$$/environ; fc -l; jobs -l`;

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const withToken = (factory = terminal()): Promise<TerminalFixture> =>
  openTerminal(factory, { secrets: fakeSecrets({ TOKEN: VALUE }) });

/** Output is masked, so a leak shows as the mask; and what is in the environment shows as its name. */
async function expectForgotten(shell: TerminalFixture): Promise<void> {
  const shown = textOf(await shell.run(EVERYWHERE));
  expect(shown).toContain('PROMPT_COMMAND');
  expect(shown).not.toContain('<secret-hidden>');
  expect(shown).not.toMatch(/\bTOKEN\b/);
  expect(shown).not.toMatch(/^__conv_(?:lines?|old|saved)=/m);
}

describe('P9: a secret that the command names', () => {
  test('reaches its programs as a variable, byte for byte, and is gone afterwards', async () => {
    const shell = await withToken();
    expect(textOf(await shell.run(`${ENV_HASH} # TOKEN`))).toBe(HASH);
    await expectForgotten(shell);
    expect(textOf(await shell.run(`${ENV_HASH} # TOKEN`))).toBe(HASH);
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
  ])('with %s arrives unchanged', async (_, value) => {
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets({ TOKEN: value }) });
    expect(textOf(await shell.run(`${ENV_HASH} # TOKEN`))).toBe(hashOf(value));
    expect(readdirSync(shell.session.workingDirectory)).toEqual([]);
    expect(textOf(await shell.run(`LC_ALL=C; ${ENV_HASH} # TOKEN`))).toBe(hashOf(value));
    await expectForgotten(shell);
  });

  test('is not given to a command that holds its name in a longer word', async () => {
    const shell = await withToken();
    writeFileSync(join(shell.session.workingDirectory, 'file'), 'my_TOKEN_b\n');
    expect(
      textOf(
        await shell.run(`grep my_TOKEN_b file; ${ENV_HASH.replace('TOKEN', '["TO"+"KEN"]').replace('env.', 'env')}`),
      ),
    ).toBe(`my_TOKEN_b\n${hashOf('none')}`);
  });

  test('50 at once arrive', async () => {
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

  test('whose names the driver could use itself', async () => {
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
  ])('is gone after a command that %s', async (_, command) => {
    const shell = await withToken();
    const pid = textOf(await shell.run('echo $$'));
    await shell.run(command);
    await expectForgotten(shell);
    expect(textOf(await shell.run('set +u; echo $$'))).toBe(pid);
  });

  test('is gone when the command has ended the shell', async () => {
    const shell = await withToken();
    await shell.run('set -e; : $TOKEN; false');
    await expectForgotten(shell);
  });

  test('is gone from the process when the command has put another bash in its place', async () => {
    const shell = await withToken();
    const pid = textOf(await shell.run('export kept=1; echo $$'));
    expect((await shell.run('export TOKEN; cd /; exec bash')).fields).toMatchObject({ exit_code: 0, timeout: false });
    await expectForgotten(shell);
    expect(textOf(await shell.run('echo $$ $kept $PWD'))).toBe(`${pid} 1 /`);
  });

  test('is gone when the command makes it readonly: the shell starts anew and says so', async () => {
    const shell = await withToken();
    const result = await shell.run('export kept=1; lost=1; readonly TOKEN; (exit 3)');
    expect(textOf(result)).toMatch(/made TOKEN readonly/);
    expect(result.fields?.['exit_code']).toBe(3);
    await expectForgotten(shell);
    expect(textOf(await shell.run('echo "[$kept$lost]"'))).toBe('[1]');
    expect(textOf(await shell.run(`${ENV_HASH} # TOKEN`))).toBe(HASH);
    await expectForgotten(shell);
  });

  test('leaves what the command itself makes', async () => {
    const shell = await withToken();
    await shell.run('mkdir sub; cd sub; export mine=1; f() { echo f; }; declare -A map; map[a]=b; : $TOKEN');
    expect(textOf(await shell.run('f; echo $mine ${map[a]}; pwd'))).toBe(
      `f\n1 b\n${shell.session.workingDirectory}/sub`,
    );
  });

  test('stays with a program in the background that was started with it', async () => {
    const shell = await withToken();
    await shell.run(`mkfifo go; (read x <go; ${ENV_HASH} >seen; echo >go) & disown; : $TOKEN`);
    await expectForgotten(shell);
    await shell.run('echo >go; read x <go');
    expect(readFileSync(join(shell.session.workingDirectory, 'seen'), 'utf8')).toBe(HASH);
  });
});

describe('a variable of the shell that has the name of a secret', () => {
  const show = `n=TO; m=KEN; declare -p "$n$m"`;
  test.each([
    ['plain', 'x=TO; read ${x}KEN <<<"an old one"', 'declare -- TOKEN="an old one"'],
    ['exported', 'x=TO; read ${x}KEN <<<old; export ${x}KEN', 'declare -x TOKEN="old"'],
    ['an array', 'x=TO; eval "${x}KEN=(a \'b c\')"', 'declare -a TOKEN=([0]="a" [1]="b c")'],
    ['a number', 'x=TO; declare -i ${x}KEN=3', 'declare -i TOKEN="3"'],
    ['a map', 'x=TO; declare -A ${x}KEN; eval "${x}KEN[a]=b"', 'declare -A TOKEN=([a]="b" )'],
    ['a reference', 'x=TO; declare -n ${x}KEN=other; other=1', 'declare -n TOKEN="other"'],
    ['of several lines', `x=TO; printf -v \${x}KEN 'a\\nb"$c'`, String.raw`declare -- TOKEN=$'a\nb"$c'`],
    ['declared without a value', 'x=TO; export ${x}KEN', 'declare -x TOKEN'],
  ])('and is %s is there again afterwards', async (_, make, declared) => {
    const shell = await withToken();
    await shell.run(make);
    expect(textOf(await shell.run(show))).toBe(declared);
    expect(textOf(await shell.run(`${ENV_HASH} # TOKEN`))).toBe(HASH);
    expect(textOf(await shell.run(show))).toBe(declared);
    await shell.run('echo "$TOKEN'); // a syntax error
    expect(textOf(await shell.run(show))).toBe(declared);
    expect(textOf(await shell.run('echo "[$other$__conv_saved$__conv_given]"'))).toMatch(/^\[1?\]$/);
  });

  test('and is exported is there again in a bash that took the shell’s place', async () => {
    const shell = await withToken();
    await shell.run('x=TO; read ${x}KEN <<<old; export ${x}KEN');
    await shell.run('exec bash # TOKEN');
    expect(
      textOf(await shell.run(`${show}; env | grep -c ^__conv; tr '\\0' '\\n' </proc/$$/environ | grep "^$n$m="`)),
    ).toBe('declare -x TOKEN="old"\n0\nTOKEN=old');
  });

  test('and is readonly stays, and the result says that the secret has no value', async () => {
    const shell = await withToken();
    await shell.run('x=TO; readonly ${x}KEN=mine');
    const result = await shell.run('echo $TOKEN');
    expect(textOf(result)).toBe('mine');
    expect(metadataOf(result)['prefix']).toBe(
      '[The secret TOKEN has no value here: the shell has a readonly variable of this name.]\n',
    );
    expect(textOf(await shell.run(show))).toBe('declare -r TOKEN="mine"');
  });
});

describe('P9: on its way into the shell a value', () => {
  test('is in no file and in no argument of a process', async () => {
    const shell = await withToken(terminal({ noOutputTimeout: 0.2 }));
    await shell.run('echo $TOKEN >/dev/null; read x');
    const found = filesBelow(tmpdir()).filter((path) => holds(path, VALUE));
    expect(found).toEqual([]);
    const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('conv-terminal-'));
    expect(folders.length).toBeGreaterThan(0);
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      expect(holds(`/proc/${pid}/cmdline`, VALUE)).toBe(false);
  });

  test('does not hang the call when bash dies before it has taken it', async () => {
    const shell = await openTerminal(terminal(), {
      secrets: fakeSecrets({ TOKEN: 'v'.repeat(100_000), B: 'w'.repeat(100_000) }),
    });
    const pid = Number(textOf(await shell.run('echo $$')));
    process.kill(pid, 'SIGSTOP');
    const call = shell.run('echo ${#TOKEN} ${#B}');
    const [folder = ''] = readdirSync(tmpdir()).filter((name) => belongsTo(join(tmpdir(), name), pid));
    while (!isPipe(join(tmpdir(), folder, 'values'))) await new Promise((resolve) => setImmediate(resolve));
    process.kill(pid, 'SIGKILL');
    expect(textOf(await call)).toBe('100000 100000');
    await expectForgotten(shell);
  });

  test('is interrupted without a trace', async () => {
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets({ TOKEN: `${VALUE}${'v'.repeat(100_000)}` }) });
    const pid = Number(textOf(await shell.run('echo $$')));
    process.kill(pid, 'SIGSTOP');
    const controller = new AbortController();
    const call = shell.run('touch ran; echo $TOKEN', {}, controller.signal);
    const [folder = ''] = readdirSync(tmpdir()).filter((name) => belongsTo(join(tmpdir(), name), pid));
    while (!isPipe(join(tmpdir(), folder, 'values'))) await new Promise((resolve) => setImmediate(resolve));
    controller.abort('stop');
    await expect(call).rejects.toBe('stop');
    await expectForgotten(shell);
    expect(existsSync(join(shell.session.workingDirectory, 'ran'))).toBe(false);
  });
});

test('P7: an interrupted command leaves nothing of the secret behind', async () => {
  const shell = await withToken();
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
  const shell = await withToken(terminal({ noOutputTimeout: 0.15 }));
  await shell.run('x=$TOKEN; unset x; while true; do sleep 1; done');
  expect((await shell.run('C-c', { is_input: true })).fields?.['exit_code']).toBe(130);
  await expectForgotten(shell);
});

test('what is typed into a program is what the model wrote: names in it stand for nothing', async () => {
  const shell = await withToken(terminal({ noOutputTimeout: 0.15 }));
  await shell.run('read x; echo "got $x"');
  expect(textOf(await shell.run('$TOKEN', { is_input: true }))).toBe('got $TOKEN');
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

test('a command with the mask in the place of a value is run as it is, and the result explains', async () => {
  const shell = await withToken();
  const result = await shell.run(`echo 'Bearer <secret-hidden>'`);
  expect(textOf(result)).toBe('Bearer <secret-hidden>');
  expect(metadataOf(result)['prefix']).toMatch(/is not the value/);
});

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    // a folder of somebody else's test went away while we looked
    return filesBelow(folder);
  }
}

function holds(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'latin1').includes(text);
  } catch {
    return false;
  }
}

function isPipe(path: string): boolean {
  try {
    return lstatSync(path).isFIFO();
  } catch {
    return false;
  }
}

function belongsTo(folder: string, pid: number): boolean {
  return folder.includes('conv-terminal-') && holds(join(folder, 'pid'), `${pid}\n`);
}
