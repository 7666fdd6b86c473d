import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AssessOptions } from '@conv/core';
import type { SecurityRisk } from '@conv/core/events';
import { describe, expect, test } from 'vitest';
import { patternSecurityAnalyzer } from '../../src/index.ts';
import { circumstances } from './corpus/read-corpus.ts';
import { actionWith } from './rate.ts';

const analyzer = patternSecurityAnalyzer();
const workspace = join(homedir(), 'project');

async function rated(command: string, given: Partial<AssessOptions> = {}): Promise<SecurityRisk> {
  return (await analyzer.assess(actionWith({ command }), { ...circumstances, ...given })).risk;
}

const from = (folder: string): Partial<AssessOptions> => ({ shellFolders: [folder] });
const behind = (...commands: readonly string[]): Partial<AssessOptions> => ({
  earlierActions: commands.map((command) => actionWith({ command })),
});

describe('the folder in which an earlier call left the shell', () => {
  test.each<[string, string, SecurityRisk]>([
    ['/var/other', 'rm -rf a', 'HIGH'],
    ['/var/other', 'rm a', 'MEDIUM'],
    ['/var/other', 'echo x > a', 'MEDIUM'],
    ['/var/other', 'rm -rf "$PWD/e"', 'HIGH'],
    ['/var/other', 'ls && cat a', 'LOW'],
    ['/var/other', `rm -rf ${workspace}/dist`, 'LOW'],
    ['/etc', 'sed -i s/a/b/ hosts', 'HIGH'],
    [join(workspace, '../..'), 'rm -rf other/b', 'HIGH'],
    [join(workspace, '../..'), 'find . -path "./other/c*" -delete', 'HIGH'],
    [join(workspace, 'packages/a'), 'rm -rf dist', 'LOW'],
    [join(workspace, 'packages/a'), 'rm -rf ../b/dist', 'LOW'],
    [join(workspace, 'packages/a'), 'rm -rf ../../../other', 'HIGH'],
    [join(workspace, 'packages/a'), 'cd ../.. && npm test', 'LOW'],
    ['/tmp/build', 'rm -rf out', 'LOW'],
  ])('P10: the shell left in %s makes %s a %s risk', async (folder, command, risk) => {
    expect(await rated(command, from(folder))).toBe(risk);
  });

  test('P10: the folder of the shell is where a command begins, and no reason to ask again', async () => {
    expect(await rated('cd /var/other')).toBe('MEDIUM');
    expect(await rated('npm test', from('/var/other'))).toBe('LOW');
    expect(await rated('cd ..', from('/var/other'))).toBe('MEDIUM');
  });

  test('P10: the worst folder counts, if several are possible', async () => {
    expect(await rated('rm -rf a', { shellFolders: ['/var/other', workspace] })).toBe('HIGH');
    expect(await rated('rm -rf ../a', { shellFolders: [join(workspace, 'src'), workspace] })).toBe('HIGH');
    expect(await rated('rm -rf a', { shellFolders: [join(workspace, 'src'), workspace] })).toBe('LOW');
  });

  test('P10: the folder of the shell lies in the workspace if a link leads to the workspace', async () => {
    const folder = realpathSync(mkdtempSync(join(homedir(), '.conv-folders-')));
    try {
      mkdirSync(join(folder, 'real/src'), { recursive: true });
      symlinkSync('real', join(folder, 'link'));
      const given = { workingDirectory: join(folder, 'link'), shellFolders: [join(folder, 'real/src')] };
      expect(await rated('rm -rf dist', given)).toBe('LOW');
      expect(await rated('rm -rf ../../other', given)).toBe('HIGH');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('P10: the folder of the shell means nothing to an editor of files and to tools that are no terminal', async () => {
    const members = { command: 'create', path: 'a.ts', file_text: 'x', kind: 'FileEditorAction' };
    const action = actionWith(members, { tool_name: 'file_editor' });
    const options = { ...circumstances, shellFolders: ['/etc'] };
    expect(await analyzer.assess(action, options)).toMatchObject({ risk: 'LOW' });
  });
});

describe('earlier actions whose folder no result tells', () => {
  test.each<[readonly string[], string, SecurityRisk]>([
    [['cd /var/other'], 'rm -rf a', 'HIGH'],
    [['cd /var/other', 'cd deep'], 'rm -rf a', 'HIGH'],
    [['cd /var/other; sleep 100; cd -'], 'rm -rf a', 'HIGH'],
    [['cd src; sleep 100; cd /var/other'], 'rm -rf a', 'HIGH'],
    [['cd "$WHERE"'], 'rm -rf a', 'HIGH'],
    [['eval "$(cat setup)"'], 'rm -rf a', 'HIGH'],
    [['cd src', 'npm test'], 'rm -rf a', 'LOW'],
    [['npm start'], 'rm -rf dist', 'LOW'],
    [['cd src'], 'rm -rf ../a', 'HIGH'],
  ])('P10: the command behind %j, %s, is %s', async (commands, command, risk) => {
    expect(await rated(command, behind(...commands))).toBe(risk);
  });

  test('P10: more folders than can be read count as an unknown folder', async () => {
    const commands = Array.from({ length: 20 }, (_, at) => `cd ${workspace}/a${at}`);
    expect(await rated('rm -rf dist', behind(...commands))).toBe('HIGH');
    expect(await rated('ls dist', behind(...commands))).toBe('LOW');
  });

  test('P10: a shell that is ended first begins in the workspace again', async () => {
    const action = actionWith({ command: 'rm -rf ../a', reset: true });
    const options = { ...circumstances, shellFolders: [join(workspace, 'src')] };
    expect(await analyzer.assess(action, options)).toMatchObject({ risk: 'HIGH' });
  });
});

describe('a command that hides the folder of the shell', () => {
  test.each([
    'PWD=/var/other',
    'export PWD=/var/other',
    'OLDPWD=/srv; cd -; rm -rf a',
    'CDPATH=/var/other',
    'CDPATH=.:..',
    'readonly PWD',
    'declare -r PWD',
    'read PWD <<< /var/other',
    'cd() { builtin cd /var/other; }',
    'function pushd { builtin cd /srv; }',
    "alias cd='cd /var/other;'",
    'cd -; rm -rf a',
    'rm -rf "$OLDPWD/a"',
    'popd && rm -rf a',
    `cd /var/other; PWD=${workspace}`,
  ])('P10: %s is HIGH', async (command) => {
    expect(await rated(command)).toBe('HIGH');
  });

  test.each([
    'PWD=$(pwd)',
    'PWD=/var/other printenv HOME',
    'CDPATH= cd src',
    'CDPATH=./packages',
    'cd -',
    'pushd src && rm -rf dist && popd',
    'cd src && cd - && rm -rf dist',
    'printf \'#!/bin/bash\\npushd () { command pushd "$@" > /dev/null; }\\n\' > build.sh',
  ])('P10: %s is LOW', async (command) => {
    expect(await rated(command)).toBe('LOW');
  });
});
