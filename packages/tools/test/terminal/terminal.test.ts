import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { metadataOf, numberOutside, openTerminal } from './open-terminal.ts';
import { textOf } from '../open-tool.ts';
import { isConfined, terminal } from './tested-terminal.ts';

describe('a command', () => {
  test('a command gives its output, exit code and working folder', async () => {
    const shell = await openTerminal();
    const result = await shell.run('echo hello; cd /; (exit 3)');
    expect(textOf(result)).toBe('hello');
    expect(result.isError).toBe(false);
    expect(result.fields).toMatchObject({ command: 'echo hello; cd /; (exit 3)', exit_code: 3, timeout: false });
    expect(metadataOf(result)).toMatchObject({ exit_code: 3, working_dir: '/', prefix: '', suffix: '' });
    expect(metadataOf(result)['username']).toEqual(expect.any(String));
    expect(metadataOf(result)['hostname']).toEqual(expect.any(String));
    expect(result.fields).not.toHaveProperty('full_output_save_dir');
  });

  test('a command starts in the working folder of the conversation, and the shell lasts', async () => {
    const shell = await openTerminal();
    expect(textOf(await shell.run('pwd'))).toBe(shell.session.workingDirectory);
    await shell.run('x=41; f() { echo $((x + 1)); }; declare -A map; map[a]=b; mkdir sub; cd sub');
    expect(textOf(await shell.run('f; echo ${map[a]}; pwd'))).toBe(`42\nb\n${shell.session.workingDirectory}/sub`);
  });

  test.skipIf(process.platform !== 'linux' || isConfined)(
    'a command is ended before this process when no memory is left',
    async () => {
      const shell = await openTerminal();
      expect(textOf(await shell.run('cat /proc/self/oom_score_adj'))).toBe('1000');
    },
  );

  test('a command in the background gives its process id, and goes on', async () => {
    const shell = await openTerminal();
    const started = await shell.run('mkfifo pipe; (read line <pipe; echo $line >got; echo end >pipe) & echo started');
    expect(textOf(started)).toBe('started');
    expect(metadataOf(started)['pid']).toBeGreaterThan(1);
    expect(textOf(await shell.run('echo hi >pipe; read line <pipe; cat got; wait; echo $line'))).toBe('hi\nend');
  });

  test.each([
    ['several lines', 'echo a\necho b\n\nif true; then\n  echo c\nfi', 'a\nb\nc', 0],
    ['a here-document with quotes', 'cat <<"END"\n$x \'"`\nEND\necho after', '$x \'"`\nafter', 0],
    ['no line break at the end of its output', 'printf abc', 'abc', 0],
    ['a comment at its end', 'echo a # comment', 'a', 0],
    ['a dash at its start', '-x', 'bash: -x: command not found', 127],
    ['break outside of a loop', 'break; echo after', '', 0],
    ['a loop that breaks', 'for i in 1 2 3; do echo $i; break; done', '1', 0],
    ['an unset variable under set -u', 'set -u; echo $nothing_here', 'bash: nothing_here: unbound variable', 1],
    ['letters beyond ASCII', 'echo "grüße 🦊"', 'grüße 🦊', 0],
    ['a very wide line', 'printf "%05000d" 7', `${'0'.repeat(4999)}7`, 0],
    ['colours', String.raw`printf "\e[1;31mred\e[0m \e]0;title\a\e(Bplain"`, 'red plain', 0],
    ['a progress bar', String.raw`printf "10%%\r20%%\r100%%\ndone\n"`, '100%\ndone', 0],
    ['its own code in quotes', 'echo "PROMPT_COMMAND=1 $ "', 'PROMPT_COMMAND=1 $', 0],
  ])('a command with %s works', async (_, command, output, exitCode) => {
    const shell = await openTerminal();
    const result = await shell.run(command);
    expect(textOf(result).trimEnd()).toBe(output);
    expect(result.fields?.['exit_code']).toBe(exitCode);
    expect(textOf(await shell.run('echo next'))).toBe('next');
  });

  test.each(['echo "unclosed', "echo 'unclosed", 'if true; then', 'cat $(echo', '(', 'echo a )', 'for'])(
    'P13: %j is reported as a syntax error and does not wedge the shell',
    async (command) => {
      const shell = await openTerminal();
      const result = await shell.run(command);
      expect(textOf(result)).toMatch(/bash: .*(syntax error|unexpected)/);
      expect(result.fields?.['exit_code']).toBe(2);
      expect(textOf(await shell.run('echo next'))).toBe('next');
    },
  );

  test('a command above 100 KiB reaches the shell whole', async () => {
    const shell = await openTerminal();
    const result = await shell.run(`wc -c <<'END'\n${'x'.repeat(120_000)}\nEND`);
    expect(textOf(result).trim()).toBe('120001');
  });

  test('a command with a NUL character is refused', async () => {
    const shell = await openTerminal();
    expect(await shell.run('echo a\0b')).toMatchObject({ isError: true });
  });

  test('a command that prints bytes which are no text still ends', async () => {
    const shell = await openTerminal();
    // the bytes may begin a control sequence that takes the first line break with it
    const result = await shell.run('head -c 20000 /dev/urandom; echo; echo; echo end');
    expect(result.fields?.['exit_code']).toBe(0);
    expect(textOf(result)).toMatch(/end$/);
  });
});

describe('a shell that the command tampers with', () => {
  test.each([
    ['redirects all output', 'exec >/dev/null 2>&1'],
    ['closes its input', 'exec </dev/null'],
    ['traces', 'set -x'],
    ['stops at errors', 'set -e'],
    ['prints what it reads', 'set -v'],
    ['changes the prompt', "PS1='$ '; PROMPT_COMMAND='echo prompt'"],
    ['leaves the terminal raw', 'stty raw -echo'],
    ['leaves the terminal echoing', 'stty echo'],
    ['shadows builtins', 'printf() { echo no; }; read() { echo no; }; alias eval=false'],
    ['changes IFS', 'IFS=0123456789'],
    ['sets a time limit', 'TMOUT=1'],
    ['unsets PATH', 'unset PATH'],
    ['turns globbing off', 'set -f; shopt -s nullglob failglob'],
  ])('a shell whose command %s takes the next command', async (_, command) => {
    const shell = await openTerminal();
    expect((await shell.run(command)).fields?.['exit_code']).toBe(0);
    const next = await shell.run('exec </dev/tty >/dev/tty 2>&1; echo next');
    expect(textOf(next)).toBe('next');
    expect(next.fields).toMatchObject({ exit_code: 0, timeout: false });
  });

  test('set -e ends the shell at the first failure; it is said, and a new one starts in the same folder', async () => {
    const shell = await openTerminal();
    await shell.run('mkdir sub; cd sub; y=1');
    const result = await shell.run('set -e; echo before; false; echo after');
    expect(textOf(result)).toBe('before');
    expect(result.fields?.['exit_code']).toBe(1);
    expect(metadataOf(result)['suffix']).toMatch(/shell has ended/);
    expect(textOf(await shell.run('pwd; echo "[$y]"'))).toBe(`${shell.session.workingDirectory}/sub\n[]`);
  });

  test('exit ends the shell with its code; a new one starts in the same folder', async () => {
    const shell = await openTerminal();
    await shell.run('mkdir sub; cd sub');
    const result = await shell.run('echo bye; exit 7');
    expect(textOf(result)).toBe('bye');
    expect(result.fields?.['exit_code']).toBe(7);
    expect(textOf(await shell.run('pwd'))).toBe(`${shell.session.workingDirectory}/sub`);
  });

  test('a shell that is killed from within gives 128 and the signal', async () => {
    const shell = await openTerminal();
    const result = await shell.run('echo before; kill -9 $$');
    expect(textOf(result)).toBe('before');
    expect(result.fields?.['exit_code']).toBe(137);
    expect(textOf(await shell.run('echo next'))).toBe('next');
  });

  test('a shell that is killed between two commands is replaced, and the command runs once', async () => {
    const shell = await openTerminal();
    const pid = Number(textOf(await shell.run('echo $$')));
    process.kill(numberOutside(pid, shell.session.workingDirectory), 'SIGKILL');
    expect(textOf(await shell.run('echo once >>count; cat count'))).toBe('once');
  });

  test('a command that removes the shell’s own files ends the shell, not the terminal', async () => {
    const shell = await openTerminal();
    const result = await shell.run('rm -r "$(dirname "$(echo "$PROMPT_COMMAND" | grep -o "/[^ ]*driver")")"; (exit 4)');
    expect(result.fields?.['exit_code']).toBe(4);
    expect(textOf(await shell.run('echo next'))).toBe('next');
  });

  test('exec bash is survived', async () => {
    const shell = await openTerminal();
    expect((await shell.run('export HOME=$PWD; exec bash')).fields).toMatchObject({ exit_code: 0, timeout: false });
    expect(textOf(await shell.run('echo next'))).toBe('next');
  });

  test('a folder that was removed does not keep a new shell from starting', async () => {
    const shell = await openTerminal();
    await shell.run('mkdir gone; cd gone');
    await shell.run('rmdir ../gone; exit');
    expect(textOf(await shell.run('pwd'))).toBe(shell.session.workingDirectory);
  });

  test('a command that prints every variable, function and file of the driver does not end its own call', async () => {
    const shell = await openTerminal();
    const result = await shell.run(
      'set; declare -f; declare -p; env; echo "$PS1" "$PROMPT_COMMAND"; own=${PS1#*:}; find "${own%\\\\*}" -type f -exec cat {} +; printf "\\036E1\\0370\\036"; echo last',
    );
    expect(textOf(result)).toMatch(/last$/);
    expect(textOf(result)).toContain('__conv_next() {');
    expect(textOf(await shell.run('echo next'))).toBe('next');
  });
});

describe('the environment', () => {
  test('the environment keeps programs from paging and history from the disk', async () => {
    const shell = await openTerminal();
    expect(textOf(await shell.run('echo $PAGER $GIT_PAGER $TERM "[$HISTFILE]"; history | wc -l'))).toBe(
      'cat cat dumb []\n0',
    );
  });

  test('P9: the environment holds no credentials of this process', async () => {
    const credentials = {
      LLM_API_KEY: 'v',
      OPENAI_APIKEY: 'v',
      GITHUB_TOKEN: 'v',
      npm_config__authToken: 'v',
      OH_SECRET_KEY: 'v',
      OH_SESSION_API_KEYS_0: 'v',
      SESSION_API_KEY: 'v',
      AWS_ACCESS_KEY_ID: 'v',
      AWS_SESSION_TOKEN: 'v',
      PGPASSWORD: 'v',
      MYSQL_PWD: 'v',
      GOOGLE_APPLICATION_CREDENTIALS: '/v',
      CLIENT_SECRET: 'v',
      CLIENT_SECRET_FILE: '/v',
      SENTRY_DSN: 'v',
      DATABASE_URL: 'postgres://user:password@host/name',
      DEPLOY: '-----BEGIN OPENSSH PRIVATE KEY-----\n',
    };
    const others = {
      TOKENIZERS_PARALLELISM: 'v',
      ...(isConfined ? {} : { SSH_AUTH_SOCK: '/v' }),
      KEYBOARD_LAYOUT: 'v',
      GIT_AUTHOR_NAME: 'v',
      SECRETARY: 'v',
      HTTPS_PROXY: 'http://user:password@host',
      HOMEPAGE_URL: 'https://host/a:b@c',
    };
    for (const [name, value] of Object.entries({ ...credentials, ...others })) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const print = `node -p 'Object.keys(process.env).sort().join("\\n")'`;
    const names = textOf(await (await openTerminal()).run(print)).split('\n');
    expect(names.filter((name) => Object.hasOwn(credentials, name))).toEqual([]);
    expect(names.filter((name) => Object.hasOwn(others, name)).toSorted()).toEqual(Object.keys(others).toSorted());
    const named = await openTerminal(terminal({ environment: ['PATH', 'GITHUB_TOKEN'] }));
    expect(textOf(await named.run(print)).split('\n')).toContain('GITHUB_TOKEN');
  });

  test('the environment holds only the named variables when they are named', async () => {
    const shell = await openTerminal(terminal({ environment: ['PATH'] }));
    expect(textOf(await shell.run('echo "[$HOME]"; echo $PATH'))).toBe(`[]\n${process.env['PATH']}`);
  });
});

describe('platform', () => {
  test('P13: Windows is UNSUPPORTED', async () => {
    const platform = process.platform;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
    await expect(openTerminal()).rejects.toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }));
  });

  test('P13: a shell that does not start is FAILED and named', async () => {
    const shell = await openTerminal(terminal({ shell: '/nonexistent/bash' }));
    await expect(shell.run('echo')).rejects.toThrow(
      expect.objectContaining({ code: 'FAILED', message: expect.stringContaining('/nonexistent/bash') }),
    );
  });

  test('the kinds on the wire are the terminal’s', async () => {
    const { tool, run } = await openTerminal();
    const action = tool.wire.toAction(tool.parse({ command: 'echo a', timeout: null }));
    expect(action).toEqual({ command: 'echo a', is_input: false, reset: false, kind: 'TerminalAction' });
    expect(tool.parse(tool.wire.fromAction(action))).toEqual({ command: 'echo a', is_input: false, reset: false });
    const observation = tool.wire.toObservation(await run('echo a'), action);
    expect(Object.keys(observation)).toEqual([
      'content',
      'is_error',
      'command',
      'exit_code',
      'timeout',
      'metadata',
      'kind',
    ]);
    expect(tool.wire.definition['kind']).toBe('TerminalTool');
  });

  test('two conversations have two shells, and one resource each', async () => {
    const [one, other] = [await openTerminal(), await openTerminal()];
    await one.run('x=1');
    expect(textOf(await other.run('echo "[$x]"'))).toBe('[]');
    expect(one.tool.resources({})).toEqual(one.tool.resources({}));
    expect(one.tool.resources({})).not.toEqual(other.tool.resources({}));
  });
});
