import { type Nearness, nearnessOf } from '../facts/addresses.ts';
import { UNKNOWN } from '../facts/places.ts';
import type { ShellReader } from '../shell/reader.ts';
import { Origin, type Output, type ShellWord } from '../shell/word.ts';
import { type Call, hasOption, namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { speaksTo } from '../commands/connections.ts';
import { readFrom, writesTo } from '../commands/file-access.ts';

const SENDING =
  /^(?:-d|--data|--data-\w+|--json|-F|--form|-T|--upload-file|--post-file|--post-data|--body-file|--body-data)$/;

const WITH_VALUE =
  '-d --data --data-binary --data-raw --data-urlencode --json -F --form -H --header -X --request -o --output -O -A -e -u --user -b -c -m --max-time --connect-timeout --retry -w --write-out -T --upload-file --post-file --post-data -P -t --tries --timeout -U --cacert --cert --key -r --range -Y -y -z --limit-rate -K';

const NO_ADDRESS =
  /^-[A-Za-z]*[dFHXoAeubcmwTrK]$|^--(?:data|form|header|request|output|user|cookie|max-time|write-out|upload-file|range|post|json)/;

/** Programs such as curl and wget. */
const fetcher: Program = (call) => {
  const { shell, words, input } = call;
  if (call.texts.some((text) => /^(?:--help|--version|-V|-h)$/.test(text))) return;
  let origin: number = Origin.NETWORK;
  let near: Nearness | undefined;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1]?.text ?? '';
    if (SENDING.test(before) || /^-(?:d|F|T).|^--(?:data|form|post|upload)[\w-]*=/.test(word.text)) {
      origin |= sends(word, before, call);
      continue;
    }
    // a header is where a key belongs; in an address it is given away
    origin |= HEADER.test(before) ? word.origin & Origin.SECRET : secretIn(word.origin);
    if (word.text.startsWith('file://')) {
      origin |= readFrom(word.text.slice(7), shell);
      continue;
    }
    if (word.text.startsWith('-') || (NO_ADDRESS.test(before) && !before.includes('='))) {
      near = nearer(near, joinedAddress(word.text, shell));
      continue;
    }
    near = nearer(
      near,
      call.name === 'wget' || call.name === 'curl'
        ? (addressIn(word.text, before, shell) ?? (near === undefined ? 'remote' : undefined))
        : addressIn(word.text, before, shell),
    );
  }
  if (near === undefined) return;
  speaksTo(near, shell);
  if ((origin & Origin.SECRET) !== 0 && near === 'remote') shell.report('send-secrets');
  keeps(call, { text: undefined, origin: Origin.NETWORK });
  void input;
  return { text: undefined, origin: Origin.NETWORK };
};

function nearer(one: Nearness | undefined, other: Nearness | undefined): Nearness | undefined {
  const order = ['own', 'metadata', 'loopback', 'remote'] as const;
  return order.find((near) => near === one || near === other);
}

/** `--resolve x:8000:127.0.0.1`, `--connect-to ::host:port`, and plain addresses. */
function addressIn(text: string, before: string, shell: ShellReader): Nearness | undefined {
  const { listening } = shell.world;
  if (before === '--resolve' || before === '--connect-to') {
    const parts = text.split(':').filter((part) => part !== '');
    const ports = parts.filter((part) => /^\d+$/.test(part));
    const all = parts.flatMap((part) => [undefined, ...ports].map((port) => nearnessOf(part, listening, port)));
    return all.reduce<Nearness | undefined>(nearer, undefined);
  }
  return nearnessOf(text, listening);
}

function joinedAddress(text: string, shell: ShellReader): Nearness | undefined {
  const value = /^-(?:x|-proxy=|-url=)(.+)$/.exec(text)?.[1];
  return value === undefined ? undefined : nearnessOf(value, shell.world.listening);
}

const HEADER = /^(?:-H|--header|-u|--user)$/;

export function secretIn(origin: number): number {
  return (origin & (Origin.SECRET | Origin.NAMED)) === 0 ? 0 : Origin.SECRET;
}

/** Looks at a value that is sent: `@file`, `x=@file`, `@-`, or text. */
function sends(word: ShellWord, before: string, { shell, input }: Call): number {
  const isWhole =
    /^(?:-T|--upload-file|--post-file|--body-file)$/.test(before) ||
    /^(?:-T.|--(?:upload|post|body)-file=)/.test(word.text);
  const text = word.text.replace(/^(?:-[dFT](?=.)|--[\w-]+=)/, '');
  const file = isWhole ? text : /^(?:[\w-]*=?|.*=)@(.*)$/.exec(text)?.[1]?.split(';', 1)[0];
  if (file === undefined) return secretIn(word.origin);
  if (file === '-' || file === '.') return secretIn(input?.origin ?? 0);
  const origin = readFrom(file, shell, true);
  const { kind } = shell.place(file);
  // what lies outside of the workspace is not the agent's to send
  return origin | (kind === 'inside' || kind === 'temporary' || file.includes(UNKNOWN) ? 0 : Origin.SECRET);
}

/** The file that a fetched text is kept in. */
function keeps(call: Call, output: Output): void {
  const { shell } = call;
  const isWget = call.name === 'wget';
  const named = isWget ? valueOf(call, '-O', '--output-document') : valueOf(call, '-o', '--output');
  if (named !== undefined && named.text !== '-') return writesTo(named, output, shell);
  const isKept = isWget ? named === undefined : hasOption(call.texts, 'O', 'remote-name');
  if (!isKept) return;
  for (const { text } of operandsOf(call, WITH_VALUE)) {
    const name = text.split(/[?#]/, 1)[0]?.replace(/\/+$/, '').split('/').at(-1) ?? '';
    shell.make(name, output);
  }
}

export const fetchingPrograms: Readonly<Record<string, Program>> = namesOf(
  fetcher,
  'curl wget wget2 aria2c axel lynx w3m links http https httpie xh curlie websocat wscat grpcurl ab wrk hey iwr irm invoke-webrequest invoke-restmethod fetch',
);
