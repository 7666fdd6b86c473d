import { type Nearness, nearnessOf } from '../addresses.ts';
import { UNKNOWN } from '../places.ts';
import type { ShellReader } from '../shell/reader.ts';
import { Origin, type Output, type ShellWord } from '../shell/word.ts';
import { type Call, hasOption, operandsOf, type Program, valueOf } from './call.ts';
import { speaksTo } from './connections.ts';
import { readFrom, writesTo } from './files.ts';

const SENDING =
  /^(?:-d|--data|--data-\w+|--json|-F|--form|-T|--upload-file|--post-file|--post-data|--body-file|--body-data)$/;
const WITH_VALUE =
  '-d --data --data-binary --data-raw --data-urlencode --json -F --form -H --header -X --request -o --output -O -A -e -u --user -b -c -m --max-time --connect-timeout --retry -w --write-out -T --upload-file --post-file --post-data -P -t --tries --timeout -U --cacert --cert --key -r --range -Y -y -z --limit-rate -K';
const NO_ADDRESS =
  /^-[A-Za-z]*[dFHXoAeubcmwTrK]$|^--(?:data|form|header|request|output|user|cookie|max-time|write-out|upload-file|range|post|json)/;

/** curl, wget and their like. */
const fetcher: Program = (call) => {
  const { shell, words, input } = call;
  if (call.texts.some((text) => /^(?:--help|--version|-V|-h)$/.test(text))) return undefined;
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
  if (near === undefined) return undefined;
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

function secretIn(origin: number): number {
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

const SHELL_IN = /(?:^|[/:=])(?:ba|da|z|k|a)?sh(?:[ ,]|$)|^(?:cmd|powershell)/;

/** nc, telnet, socat: two words make an address. */
const connector: Program = (call) => {
  const { shell, texts, input } = call;
  const isListening = hasOption(texts, 'l', 'listen') && call.name !== 'telnet';
  const runs = valueOf(call, '-e', '-c', '--exec', '--sh-exec');
  if ((runs && (isListening || SHELL_IN.test(runs.text))) || texts.some((text) => /^(?:exec|system):/i.test(text)))
    shell.report('reverse-shell');
  const origin = input?.origin ?? 0;
  if ((origin & Origin.SHELL) !== 0) shell.report('reverse-shell');
  const operands = operandsOf(call, '-p -w -i -s -x -e -c');
  const [first, second] = operands;
  const socat = texts.flatMap((text) => /^(?:tcp|udp|openssl)\d?(?:-connect)?:([^,]+)/i.exec(text)?.[1] ?? []);
  const address =
    socat[0] ?? (first && (second && /^[\d\0]+/.test(second.text) ? `${first.text}:${second.text}` : first.text));
  if (address === undefined) return undefined;
  const near = nearnessOf(address, shell.world.listening) ?? 'remote';
  speaksTo(isListening ? 'loopback' : near, shell);
  if ((origin & Origin.SECRET) !== 0 && near === 'remote') shell.report('send-secrets');
  // the other side decides what comes back
  return { text: undefined, origin: Origin.NETWORK };
};

/** ssh, scp, sftp: another machine, with commands for it or with a way back. */
const secureShell: Program = (call) => {
  const { shell, words } = call;
  const values = '-p -i -l -o -F -J -L -R -D -W -b -c -e -m -S -w -E -I -Q -B -P';
  for (const word of words) {
    const near = /:(?:localhost|127\.[\d.]+|\[::1\]):(\d+)/.exec(word.text);
    if (near) speaksTo(nearnessOf(`localhost:${near[1]}`, shell.world.listening), shell);
  }
  if (valueOf(call, '-R') !== undefined) shell.report('reverse-shell');
  const option = words.find(({ text }) => /proxycommand|localcommand|knownhostscommand/i.test(text));
  if (option !== undefined) shell.report('injected-program');
  const [host, ...command] = operandsOf(call, values);
  if (host === undefined) return undefined;
  shell.report('fetch');
  if (call.name === 'ssh') {
    if (command.length > 0) shell.read(command.map(({ text }) => text).join(' '), { isScript: false });
    return { text: undefined, origin: Origin.NETWORK };
  }
  let origin = call.input?.origin ?? 0;
  for (const word of operandsOf(call, values)) if (!word.text.includes(':')) origin |= readFrom(word.text, shell, true);
  const privates = operandsOf(call, values)
    .slice(0, -1)
    .some(({ text }) => !text.includes(':') && ['home', 'personal'].includes(shell.place(text).kind));
  if ((origin & Origin.SECRET) !== 0 || privates) shell.report('send-secrets');
  return undefined;
};

/** Names that are looked up can carry data out. */
const lookup: Program = (call) => {
  const { shell, words } = call;
  const isSecret = words.some(({ origin }) => (origin & Origin.SECRET) !== 0);
  if (words.some(({ text }) => text.includes(UNKNOWN))) shell.report('send-secrets');
  else if (isSecret) shell.report('send-secrets');
  else if (words.length > 0) shell.report('fetch');
  return { text: undefined, origin: Origin.NETWORK };
};

const tunnel: Program = ({ shell, texts }) => {
  if (texts.length > 0 && !texts.includes('--help') && !texts.includes('version')) shell.report('reverse-shell');
  return undefined;
};

const tls: Program = (call) => {
  const { shell, texts } = call;
  const to = texts.includes('s_client') ? valueOf(call, '-connect') : undefined;
  if (to) {
    speaksTo(nearnessOf(to.text, shell.world.listening) ?? 'remote', shell);
    if (secretIn(call.input?.origin ?? 0) !== 0) shell.report('send-secrets');
  }
  const isDecoding = texts.includes('-d') && (texts.includes('enc') || texts.includes('base64'));
  const from = valueOf(call, '-in', '-inkey');
  const origin = (call.input?.origin ?? 0) | (from ? readFrom(from.text, shell) : 0);
  return { text: undefined, origin: origin | (isDecoding ? Origin.DECODED : 0) };
};

/** Programs that speak to others. */
export const networkPrograms: Readonly<Record<string, Program>> = {
  curl: fetcher,
  wget: fetcher,
  wget2: fetcher,
  aria2c: fetcher,
  axel: fetcher,
  lynx: fetcher,
  w3m: fetcher,
  links: fetcher,
  http: fetcher,
  https: fetcher,
  httpie: fetcher,
  xh: fetcher,
  curlie: fetcher,
  websocat: fetcher,
  wscat: fetcher,
  grpcurl: fetcher,
  ab: fetcher,
  wrk: fetcher,
  hey: fetcher,
  iwr: fetcher,
  irm: fetcher,
  'invoke-webrequest': fetcher,
  'invoke-restmethod': fetcher,
  fetch: fetcher,
  nc: connector,
  ncat: connector,
  netcat: connector,
  telnet: connector,
  socat: connector,
  ftp: connector,
  tftp: connector,
  nmap: connector,
  ssh: secureShell,
  scp: secureShell,
  sftp: secureShell,
  mosh: secureShell,
  autossh: secureShell,
  sshpass: secureShell,
  dig: lookup,
  nslookup: lookup,
  host: lookup,
  ping: lookup,
  drill: lookup,
  traceroute: lookup,
  whois: lookup,
  mail: lookup,
  sendmail: lookup,
  mutt: lookup,
  ngrok: tunnel,
  cloudflared: tunnel,
  localtunnel: tunnel,
  lt: tunnel,
  bore: tunnel,
  frpc: tunnel,
  openssl: tls,
};
