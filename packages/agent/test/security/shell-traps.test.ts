import { describe, expect, test } from 'vitest';
import { riskOf } from './risk-of.ts';

describe('commands that run when a shell ends', () => {
  test.each([
    'trap \'rm -rf "$tmp"\' EXIT; tmp=$(mktemp -d)',
    'tmp=$(mktemp -d); trap \'rm -rf "$tmp"\' EXIT',
    'cleanup(){ rm -rf "$tmp"; }; trap cleanup EXIT; tmp=$(mktemp -d)',
    'trap cleanup EXIT; cleanup(){ rm -rf "$tmp"; }; tmp=$(mktemp -d)',
    'trap \'rm -rf "$tmp"\' EXIT INT TERM; tmp=$(mktemp -d); cp a "$tmp"',
    'trap \'rm -f "$tmp"\' 0; tmp=$(mktemp)',
    'bash -c \'trap "rm -rf \\"\\$tmp\\"" EXIT; tmp=$(mktemp -d)\'',
    'function cleanup { rm -rf "${tmp}"; }\ntrap cleanup EXIT\ntmp="$(mktemp -d)"\nnpm test',
    "trap 'kill $pid' EXIT; npm start & pid=$!",
  ])('P10: %j is LOW: the trap runs with the values at the end', async (command) =>
    expect(await riskOf(command)).toBe('LOW'),
  );

  test.each([
    'trap \'rm -rf "$tmp"\' EXIT',
    'trap \'rm -rf "$tmp"\' EXIT; tmp=~',
    'tmp=~; trap \'rm -rf "$tmp"\' EXIT; exit; tmp=$(mktemp -d)',
    'trap \'rm -rf "$tmp" ~\' EXIT; tmp=$(mktemp -d)',
    'cleanup(){ rm -rf "$tmp"; }; tmp=$(mktemp -d)',
    'cleanup(){ rm -rf "$tmp"; }; cleanup; trap cleanup EXIT; tmp=$(mktemp -d)',
    'cleanup(){ rm -rf "$tmp"; }; trap cleanup EXIT; tmp=$HOME',
    'trap \'rm -rf "$tmp"\' EXIT; tmp=$(cat x)',
    'trap \'rm -rf "$tmp"\' DEBUG; tmp=$(mktemp -d)',
    "trap 'rm -rf build' EXIT; cd ~",
    'trap \'rm -rf "$dir"/*\' EXIT; tmp=$(mktemp -d)',
    'cleanup(){ rm -rf "$tmp" "$other"; }; trap cleanup EXIT; tmp=$(mktemp -d)',
    'trap \'trap "rm -rf $x" EXIT\' EXIT',
    "f(){ trap 'rm -rf ~' EXIT; }; f",
    'trap \'rm -rf "$tmp"\' EXIT; tmp=~; exit; tmp=build',
    'trap \'rm -rf "$tmp"\' EXIT; tmp=~; false; tmp=$(mktemp -d)',
    "trap 'rm -rf build' EXIT; cd ~; exit; cd project",
    'f(){ rm -rf "$x"; }; trap \'echo foo\' EXIT; x=build',
  ])('P10: %j is HIGH: the trap may run with another value, or without one', async (command) =>
    expect(await riskOf(command)).toBe('HIGH'),
  );
});
