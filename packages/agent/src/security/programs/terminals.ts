import { type Call, namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { scriptOf, unwrapped } from '../commands/unwrapped.ts';

/** Programs whose command stands behind an option. */
const hosts: Program = (call) => {
  const { name, shell, words, texts } = call;
  const text =
    name === 'script'
      ? scriptOf(words, /^(?:-[a-z]*c|--command(?:=|$))(.*)$/s)
      : name === 'expect'
        ? valueOf(call, '-c')
        : undefined;
  if (name === 'start-stop-daemon') {
    const program = valueOf(call, '-x', '--exec', '-a', '--startas');
    const at = texts.indexOf('--');
    return program ? shell.run([program, ...(at === -1 ? [] : words.slice(at + 1))], undefined) : undefined;
  }
  const isTerminal = /^(?:tmux|screen|byobu)$/.test(name);
  const typed = isTerminal ? typedIn(call) : undefined;
  if (typed !== undefined) return void shell.read(typed, { isScript: false });
  if (name === 'screen') return shell.run(unwrapped(words, { values: '-S -c -e -h -s -t -T -X -p' }), undefined);
  const inner = text ?? (isTerminal ? words.at(-1) : undefined);
  if (name === 'tmux' && /^(?:ls|list-\w+|attach|a|kill-session|has-session|-V)$/.test(texts[0] ?? '')) return;
  if (inner) shell.read(name === 'expect' ? inner.text.replace(/\bspawn\s+/, '') : inner.text, { isScript: false });
};

/** Commands of terminals that type their operands into a shell. */
const TYPES = /^(?:send-keys|send|stuff|paste-buffer|set-buffer)$/;

/** Keys by their names, as far as they part words and lines. */
const KEYS: Readonly<Record<string, string>> = { space: ' ', enter: '\n', 'c-m': '\n', 'c-j': '\n', kpenter: '\n' };

/** The text that a command types into a terminal; `undefined` for another command. */
function typedIn({ words, texts }: Call): string | undefined {
  const at = texts.findIndex((text) => TYPES.test(text));
  if (at === -1) return undefined;
  const keys = operandsOf({ words: words.slice(at + 1) }, '-t -N -c -b -n');
  return keys.map(({ text }) => KEYS[text.toLowerCase()] ?? text.replaceAll(/\\[rn]|\^M/g, '\n')).join('');
}

/** Programs that give others a terminal. */
export const terminalPrograms: Readonly<Record<string, Program>> = namesOf(
  hosts,
  'start-stop-daemon script expect tmux screen byobu',
);
