import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createModelServer } from '@conv/testing-model-server';
import { type IPty, spawn } from '@lydell/node-pty';

import { animatedSvg, TERMINAL_COLOURS } from './animated-svg.ts';
import { ScreenFilm } from './screen-film.ts';
import { makeProject, storyScript } from './story.ts';

const PROGRAM = fileURLToPath(new URL('../../apps/conv/dist/main.js', import.meta.url));
const COLUMNS = 92;
const ROWS = 26;
const LABEL = 'A chat in the terminal: the agent mends a function, and asks before it publishes.';

/** Milliseconds that a screen is seen at least. */
const STEP = 120;

/** Milliseconds after which a text that was waited for is given up. */
const PATIENCE = 60_000;

/** Plays a chat in a real pseudo-terminal and draws it as moving pictures, in both colour schemes. Resolves with their files. */
export async function recordChat(target: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-chat-'));
  const work = join(folder, 'website');
  await makeProject(work);
  const model = await createModelServer({ script: storyScript(work) });
  const film = new ScreenFilm(COLUMNS, ROWS);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TERM: 'xterm-256color',
    LLM_MODEL: 'openai/gpt-4.1',
    LLM_API_KEY: 'a-key-for-pictures',
    LLM_BASE_URL: model.url,
  };
  const options = { cwd: work, cols: COLUMNS, rows: ROWS, name: 'xterm-256color', env };
  const terminal = spawn(process.execPath, [PROGRAM, 'chat', '--policy', 'risky'], options);
  const ended = new Promise<void>((resolve) => void terminal.onExit(() => resolve()));
  try {
    await play(terminal, film);
  } finally {
    terminal.kill('SIGKILL');
    await ended;
    await model.close();
    await rm(folder, { recursive: true, force: true });
  }
  const files = (['light', 'dark'] as const).map((scheme) => join(target, `chat-${scheme}.svg`));
  await writeFile(files[0] ?? '', animatedSvg(film.frames, COLUMNS, TERMINAL_COLOURS.light, LABEL));
  await writeFile(files[1] ?? '', animatedSvg(film.frames, COLUMNS, TERMINAL_COLOURS.dark, LABEL));
  return files;
}

async function play(terminal: IPty, film: ScreenFilm): Promise<void> {
  const screen = new Follower(terminal, film);
  await screen.until('/help');
  film.take(800);
  await screen.type('The test of slug fails. Please mend it.');
  terminal.write('\r');
  await screen.until('joins them with a dash');
  film.take(1800);
  await screen.type('Good. Now publish it.');
  terminal.write('\r');
  await screen.until('--force');
  await screen.until('Run it?');
  film.take(2500);
  await screen.type('n not to main');
  terminal.write('\r');
  await screen.until('ready for your review');
  film.take(3500);
}

/** Feeds the film with what a terminal shows, at the pace at which it is shown. */
class Follower {
  readonly #terminal: IPty;
  readonly #film: ScreenFilm;
  #written: Promise<void> = Promise.resolve();

  constructor(terminal: IPty, film: ScreenFilm) {
    this.#terminal = terminal;
    this.#film = film;
    terminal.onData((output) => {
      this.#written = this.#written.then(() => film.write(output));
    });
  }

  /** Types a text, a few letters at a time. */
  async type(text: string): Promise<void> {
    for (let at = 0; at < text.length; at += 3) {
      this.#terminal.write(text.slice(at, at + 3));
      await this.#pass(STEP);
    }
  }

  /** Resolves when the screen shows a text. */
  async until(text: string): Promise<void> {
    for (let passed = 0; passed < PATIENCE; passed += STEP) {
      await this.#pass(STEP);
      if (this.#film.text.includes(text)) return;
    }
    throw new Error(`expected ${JSON.stringify(text)} on the screen, found\n${this.#film.text}`);
  }

  async #pass(milliseconds: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    await this.#written;
    this.#film.take(milliseconds);
  }
}
