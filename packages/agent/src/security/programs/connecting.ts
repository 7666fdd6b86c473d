import { nearnessOf } from '../facts/addresses.ts';
import { UNKNOWN } from '../facts/places.ts';
import { Origin } from '../shell/word.ts';
import { hasOption, namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { speaksTo } from '../commands/connections.ts';
import { secretIn } from './fetching.ts';
import { readFrom } from '../commands/file-access.ts';

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
  if (address === undefined) return;
  const near = nearnessOf(address, shell.world.listening) ?? 'remote';
  speaksTo(isListening ? 'loopback' : near, shell);
  if ((origin & Origin.SECRET) !== 0 && near === 'remote') shell.report('send-secrets');
  // the other side decides the output
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
  if (host === undefined) return;
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

export const connectingPrograms: Readonly<Record<string, Program>> = {
  ...namesOf(connector, 'nc ncat netcat telnet socat ftp tftp nmap'),
  ...namesOf(secureShell, 'ssh scp sftp mosh autossh sshpass'),
  ...namesOf(lookup, 'dig nslookup host ping drill traceroute whois mail sendmail mutt'),
  ...namesOf(tunnel, 'ngrok cloudflared localtunnel lt bore frpc'),
  openssl: tls,
};
