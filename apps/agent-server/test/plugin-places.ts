import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes files below a folder, and returns the folder. */
export function writeFiles(place: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    const path = join(place, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
  }
  return place;
}

/** Makes a repository with one commit of these files, or adds one. Returns its address. */
export function commitFiles(path: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(path, { recursive: true });
  const git = (...args: readonly string[]): void => {
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
    execFileSync('git', [...who, ...args], { cwd: path, stdio: 'ignore' });
  };
  git('init', '--quiet', '--initial-branch=main');
  writeFiles(path, files);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Change');
  return `file://${path}`;
}

/** The files of a plugin with a part of each kind. */
export const WEATHER: Readonly<Record<string, string>> = {
  '.plugin/plugin.json': JSON.stringify({ name: 'weather', version: '2.0.0', description: 'Weather.' }),
  'skills/radar/SKILL.md': '---\ndescription: Reads the radar.\n---\nLook at the radar image.',
  'commands/now.md': '---\ndescription: Tells the weather.\n---\nTell the weather of the place that follows.',
  'agents/forecaster.md': '---\ndescription: Forecasts.\n---\nYou forecast.',
  'hooks/hooks.json': JSON.stringify({
    hooks: {
      PreToolUse: [{ matcher: 'terminal', hooks: [{ type: 'command', command: '${CLAUDE_PLUGIN_ROOT}/no.sh' }] }],
    },
  }),
  'no.sh': '#!/bin/sh\necho "weather says no" >&2\nexit 2\n',
};
