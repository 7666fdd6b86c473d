import type { ShellReader } from '../shell/reader.ts';
import { type Call, namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';

/** Reports a folder that is served to other users, unless it belongs to the workspace. */
function servesFolder(path: string, shell: ShellReader): void {
  const { kind } = shell.place(path);
  if (kind !== 'inside' && kind !== 'workspace' && kind !== 'temporary') shell.report('expose');
}

/** Judges servers of files by their folder: an option, an operand, or the folder of the shell. */
const server: Program = (call) => {
  const option = valueOf(call, '--directory', '--root', '--dir', ...(OPTION[call.name] ?? []));
  const operand = operandsOf(call, VALUES).find(({ text }) => !/^(?:\d+|file-server|run|start)$/.test(text));
  if (call.name === 'caddy' && !call.texts.includes('file-server')) return;
  servesFolder((option ?? operand)?.text ?? '.', call.shell);
};

const VALUES = '-l -p -c -a -P -b -L -t --listen --port --host --config --bind --address';

/** Short options that name the folder. */
const OPTION: Readonly<Record<string, readonly string[]>> = {
  'http.server': ['-d'],
  httpd: ['-h'],
  thttpd: ['-d'],
  webfsd: ['-r'],
};

/** Reports a folder that an interpreter serves: `php -S … -t …`, `ruby -run -e httpd …`. */
export function servesByInterpreter(call: Call, language: string): void {
  const { texts, shell, words } = call;
  if (language === 'php' && valueOf(call, '-S') !== undefined) servesFolder(valueOf(call, '-t')?.text ?? '.', shell);
  const at = texts.indexOf('httpd');
  if (language !== 'ruby' || at === -1 || !texts.includes('-run')) return;
  servesFolder(operandsOf({ words: words.slice(at + 1) }, '-p -b')[0]?.text ?? '.', shell);
}

/** Servers of files. */
export const servingPrograms: Readonly<Record<string, Program>> = namesOf(
  server,
  'http.server http-server serve live-server httpd darkhttpd thttpd webfsd miniserve caddy simple-http-server',
);
