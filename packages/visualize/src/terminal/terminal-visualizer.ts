import process from 'node:process';
import {
  checks,
  checkOptionNames,
  type OptionNames,
  type StateFields,
  type TokenDelta,
  type Visualizer,
} from '@conv/core';
import { type Event, eventToJson, isAction, isEvent } from '@conv/core/events';
import { type Platform, systemPlatform } from '@conv/core/platform';
import { seconds } from '../text/amounts.ts';
import { createHighlighter, type Highlight, type Highlighter } from '../text/highlight.ts';
import { plainJson, plainLine } from '../text/plain-text.ts';
import { paint, span } from '../text/span.ts';
import { type Block, layOut } from './block.ts';
import { ChildStream } from './child-stream.ts';
import { costBlock, eventBlock } from './event-block.ts';
import { OpenCalls } from './open-calls.ts';
import { type ColorMode, isColored, type OutputStream, widthOf, writeTo } from './output-stream.ts';
import { RunWatch } from './run-watch.ts';
import { spentParts } from './spending.ts';
import { StatusLine, type StatusText } from './status-line.ts';
import { TokenTail } from './token-tail.ts';

/** The shown content. `normal`: everything; `quiet`: only messages, errors and ends of runs; `json`: one line of JSON per event. */
export type VisualizerMode = 'normal' | 'quiet' | 'json';

const MODES: readonly VisualizerMode[] = ['normal', 'quiet', 'json'];

/** The maximum number of characters in the name of a child conversation. */
const LONGEST_NAME = 16;

/** Options of {@link TerminalVisualizer}. */
export interface TerminalVisualizerOptions {
  /** Default: `process.stdout`. It is never closed. */
  readonly stream?: OutputStream;
  /** Default: `auto`. */
  readonly color?: ColorMode;
  /** Columns, at least 20. Default: `auto`, the stream's own at each block, at most 120; 80 when it has none. */
  readonly width?: number | 'auto';
  /** Default: `normal`. */
  readonly mode?: VisualizerMode;
  /** Texts to highlight in the bodies of blocks; without colour they have no effect. Default: none. */
  readonly highlight?: readonly (Highlight | RegExp)[];
  /** Leaves out messages of the user, for programs in which the user sees the typed text. Default: `false`. */
  readonly skipUserMessages?: boolean;
  /** Lines of output, of a diff or of a user's message before the middle is folded. Default: 12; `Infinity` folds nothing. */
  readonly maxOutputLines?: number;
  /** A live last line during a run. Only on a terminal, never in JSON mode. Default: `true`. */
  readonly statusLine?: boolean;
  /** Clock for the duration of runs, and timers of the status line. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<TerminalVisualizerOptions> = {
  stream: true,
  color: true,
  width: true,
  mode: true,
  highlight: true,
  skipUserMessages: true,
  maxOutputLines: true,
  statusLine: true,
  platform: true,
};

/**
 * Shows a conversation in a terminal: one block for each event, then the end of each run. Text of models and tools cannot control
 * the terminal: terminal sequences are dropped, other control characters and bidi overrides appear as escapes.
 *
 * Give an instance or the class to a conversation. It only shows the events and states that it receives.
 */
export class TerminalVisualizer implements Visualizer {
  /**
   * Shows the end of the model's answer in the status line. Absent without a status line, so that models do not stream for nothing.
   */
  readonly onToken?: (delta: TokenDelta) => void;
  readonly #options: TerminalVisualizerOptions;
  readonly #stream: OutputStream;
  readonly #color: boolean;
  readonly #width: number | 'auto';
  readonly #mode: VisualizerMode;
  readonly #skipUserMessages: boolean;
  readonly #limit: number;
  readonly #highlight: Highlighter;
  readonly #calls = new OpenCalls();
  readonly #tail = new TokenTail();
  readonly #run: RunWatch;
  readonly #status: StatusLine | undefined;
  #above: { shape: Block['shape']; eventId: string | undefined; byAgent: boolean } | undefined;
  #closed = false;

  constructor(options: TerminalVisualizerOptions = {}) {
    checkOptionNames('new TerminalVisualizer', options, NAMES);
    checkValues(options);
    const { platform = systemPlatform } = options;
    this.#options = options;
    this.#stream = options.stream ?? process.stdout;
    this.#color = isColored(options.color ?? 'auto', this.#stream, process.env);
    this.#width = options.width ?? 'auto';
    this.#mode = options.mode ?? 'normal';
    this.#skipUserMessages = options.skipUserMessages ?? false;
    this.#limit = options.maxOutputLines ?? 12;
    this.#highlight = createHighlighter(options.highlight ?? []);
    this.#run = new RunWatch(platform);
    const live = this.#stream.isTTY === true && process.env['TERM'] !== 'dumb' && this.#mode !== 'json';
    if (live && (options.statusLine ?? true)) {
      const text = (): StatusText => this.#statusText();
      this.#status = new StatusLine({ platform, stream: this.#stream, color: this.#color, text });
      this.onToken = (delta) => this.#tail.add(delta);
    }
  }

  /** Starts counting from the usage so far, and shows the status line if a run is active. */
  initialize(state: StateFields): void {
    this.#run.initialize(state);
    this.#followRun();
  }

  /** Shows an event. Resolves when the stream takes more. */
  onEvent(event: Event): void | Promise<void> {
    if (this.#closed || (this.#skipUserMessages && isUserMessage(event))) return;
    if (this.#mode === 'json') return writeTo(this.#stream, `${plainJson(eventToJson(event))}\n`);
    if (event.source === 'agent') this.#tail.clear();
    const answered = this.#calls.follow(event);
    const ended = this.#run.onEvent(event, this.#calls.count);
    if (ended !== 'other') {
      this.#followRun();
      return ended === undefined ? undefined : this.#print(ended);
    }
    if (this.#mode === 'quiet' && !isForQuiet(event)) return;
    const { spending } = this.#run;
    const block = eventBlock(event, { answered, spending, limit: this.#limit, above: this.#above?.eventId });
    return block === undefined ? undefined : this.#print(block, event);
  }

  /** Counts the usage, and shows the end of a run. */
  onStateChange(state: StateFields): void | Promise<void> {
    if (this.#closed || this.#mode === 'json') return;
    const ended = this.#run.onState(state, this.#calls.count);
    this.#followRun();
    if (ended !== undefined) return this.#print(ended);
    if (this.#above?.byAgent !== true) return;
    const costs = costBlock(this.#run.spending);
    return costs === undefined ? undefined : this.#print(costs, 'above');
  }

  /** Shows a conversation that works for this one among its blocks, each line behind its name; only in normal mode. */
  forChild(child: Parameters<NonNullable<Visualizer['forChild']>>[0]): Visualizer | undefined {
    if (this.#closed || this.#mode !== 'normal') return undefined;
    const name = plainLine(child.tags['subagent'] ?? child.title ?? child.id).slice(0, LONGEST_NAME);
    const mark = paint([span(`${name} ┊ `, 'dim')], this.#color);
    const room = widthOf(this.#stream, this.#width) - name.length - ' ┊ '.length;
    return new TerminalVisualizer({
      ...this.#options,
      stream: new ChildStream(mark, (text) => this.#show(text)),
      color: this.#color ? 'always' : 'never',
      width: room,
      statusLine: false,
    });
  }

  /** Removes the status line; nothing is shown afterwards. The stream stays open. */
  close(): void {
    this.#closed = true;
    this.#status?.stop();
  }

  #followRun(): void {
    if (this.#run.running) this.#status?.start();
    else this.#status?.stop();
  }

  #print(block: Block, about?: Event | 'above'): Promise<void> | undefined {
    const marked = { ...block, rows: block.rows.map((row) => ({ ...row, line: this.#highlight(row.line) })) };
    const lines = layOut(marked, widthOf(this.#stream, this.#width)).map((line) => `${paint(line, this.#color)}\n`);
    const apart =
      this.#above !== undefined &&
      block.shape !== 'attached' &&
      !(block.shape === 'notice' && this.#above.shape === 'notice');
    if (about !== 'above' || this.#above === undefined) {
      const byAgent = about !== undefined && about !== 'above' && isAgentTurn(about);
      this.#above = { shape: block.shape, eventId: about === 'above' ? undefined : about?.id, byAgent };
    }
    return this.#write((apart ? '\n' : '') + lines.join(''));
  }

  /** Writes text of another source. The next block does not belong to the block above the text. */
  #show(text: string): Promise<void> | undefined {
    if (this.#closed) return undefined;
    if (this.#above) this.#above = { ...this.#above, shape: 'full', eventId: undefined, byAgent: false };
    return this.#write(text);
  }

  #write(text: string): Promise<void> | undefined {
    return writeTo(this.#stream, (this.#status?.takeAway() ?? '') + text + (this.#status?.putBack() ?? ''));
  }

  #statusText(): StatusText {
    const facts = [seconds(this.#run.elapsed), ...spentParts(this.#run.spending.inRun)];
    const call = this.#calls.oldest;
    if (call === undefined) return { facts, tail: this.#tail.text };
    return { facts: [...facts, call.toolName, call.title].filter((fact) => fact !== ''), tail: '' };
  }
}

function isAgentTurn(event: Event): boolean {
  return isEvent(event, 'ActionEvent') || (isEvent(event, 'MessageEvent') && event.source === 'agent');
}

function isUserMessage(event: Event): boolean {
  return isEvent(event, 'MessageEvent') && event.source === 'user';
}

function isForQuiet(event: Event): boolean {
  if (isEvent(event, 'ActionEvent')) return isAction(event.action, 'FinishAction');
  if (isEvent(event, 'MessageEvent')) return event.source !== 'environment';
  return isEvent(event, 'AgentErrorEvent') || isEvent(event, 'ConversationErrorEvent');
}

function checkValues({ stream, width, mode }: TerminalVisualizerOptions): void {
  const wrong = (name: string, expected: string, found: unknown): TypeError =>
    new TypeError(checks.wrongValue(`new TerminalVisualizer: ${name}`, expected, found));
  if (stream !== undefined && typeof stream?.write !== 'function')
    throw wrong('stream', 'a stream such as process.stdout', stream);
  if (width !== undefined && width !== 'auto' && typeof width !== 'number')
    throw wrong('width', "a number of columns, or 'auto'", width);
  if (mode !== undefined && !MODES.includes(mode)) throw wrong('mode', `one of ${MODES.join(', ')}`, mode);
}
