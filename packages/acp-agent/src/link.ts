import {
  client,
  PROTOCOL_VERSION,
  RequestError,
  type ClientConnection,
  type ContentBlock,
  type InitializeResponse,
  type NewSessionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { abortable, errorText } from '@conv/core';
import { isObject, timers } from '@conv/core/platform';
import type { Confinement } from '@conv/core/tool';

import { AcpAgentError } from './acp-agent-error.ts';
import type { AcpProgram } from './acp-program.ts';
import type { MaskText } from './bounded.ts';
import { mcpServersOf } from './mcp-servers.ts';
import { modelChoiceOf, offeredModels, type ModelChoice } from './models.ts';
import { Modes } from './modes.ts';
import { Program } from './program.ts';
import { Turn } from './turn.ts';

/** Milliseconds within which a program may end a turn that is cancelled; then it is killed. */
const CANCEL_GRACE = 10_000;
/** Milliseconds within which a program whose connection broke is expected to end. */
const END_GRACE = 1000;
/** The protocol's code of errors that want a login. */
const AUTH_REQUIRED = -32_000;

/** Ways to log in that need nothing but a key, and the variables that may have it: of Gemini CLI, and of Codex. */
const KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['gemini-api-key', ['GEMINI_API_KEY']],
  ['api-key', ['CODEX_API_KEY', 'OPENAI_API_KEY']],
]);

/** A program, and how it is to work. */
export interface LinkOptions extends Pick<
  AcpProgram,
  'command' | 'args' | 'env' | 'mcp' | 'mode' | 'model' | 'startupTimeout' | 'platform'
> {
  readonly cwd: string;
  /** The session to go on with. Default: a new one. */
  readonly resume: string | undefined;
  /** The own mode of this session, as it was noted. */
  readonly ownMode: string | undefined;
  readonly confinement: Confinement | undefined;
  readonly mask: MaskText;
}

/** The members of a session that was opened, or opened again. */
type Opened = Pick<NewSessionResponse, 'configOptions' | 'modes'> & { readonly models?: unknown };

/** The session of a program that runs. */
export class Link {
  readonly #options: LinkOptions;
  readonly #program: Program;
  readonly #connection: ClientConnection;
  #hello: InitializeResponse | undefined;
  #sessionId = '';
  #isResumed = false;
  #choice: ModelChoice | undefined;
  #modes: Modes | undefined;
  #turn: Turn | undefined;

  private constructor(options: LinkOptions, program: Program) {
    this.#options = options;
    this.#program = program;
    this.#connection = client({ name: 'conv' })
      // the first handler is called before anything else is read, so that an answer never overtakes the updates before it
      .onNotification('session/update', ({ params }) => this.#hear(params.sessionId, params.update))
      .onRequest('session/request_permission', ({ params }) => {
        const turn = params.sessionId === this.#sessionId ? this.#turn : undefined;
        return turn && !turn.end ? turn.ask(params) : { outcome: { outcome: 'cancelled' } };
      })
      .connect(program.stream());
  }

  /**
   * Starts the program and opens its session: the one to resume where the program still has it, else a new one. Rejects with an {@link
   * AcpAgentError} that says what is missing, or with `signal.reason`; the program has ended then.
   */
  static async open(options: LinkOptions, signal: AbortSignal): Promise<Link> {
    const { command, platform, startupTimeout } = options;
    signal.throwIfAborted();
    const link = new Link(options, await Program.start(options, options));
    using limit = timers.deadline(platform, startupTimeout, { signal });
    try {
      await abortable(link.#start(), limit);
      return link;
    } catch (error) {
      // a failed program ends by itself, and its end says more than the broken connection
      const explained = await link.#explained(error, 'START_FAILED');
      link.#program.kill();
      await link.close();
      signal.throwIfAborted();
      if (!limit.aborted) throw explained;
      const text = `the program ${command} opened no session within ${startupTimeout} ms${link.#program.lastWords}: log in with the program itself, or allow more startupTimeout`;
      throw new AcpAgentError('START_TIMEOUT', text, { cause: error });
    }
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  /** True if the program goes on with the session that it was asked to resume. */
  get isResumed(): boolean {
    return this.#isResumed;
  }

  get takesImages(): boolean {
    return this.#hello?.agentCapabilities?.promptCapabilities?.image ?? false;
  }

  /** The name and the version of the program, as it gives them. */
  get about(): { readonly name: string; readonly version: string } {
    const { name = '', version = '' } = this.#hello?.agentInfo ?? {};
    return { name, version };
  }

  /** The mode that the session goes back to where a policy does not ask; `undefined` if it has its own. */
  get ownMode(): string | undefined {
    return this.#modes?.left;
  }

  get choice(): ModelChoice | undefined {
    return this.#choice;
  }

  /** True if the program takes no more prompts. */
  get isLost(): boolean {
    return this.#program.end !== undefined || this.#connection.signal.aborted;
  }

  /**
   * Begins a turn. It ends in all cases, also when the program does.
   *
   * @param prompted the id of the newest event that the prompt is made of
   */
  begin(prompt: ContentBlock[], prompted: string): Turn {
    const turn = new Turn(this.#options.platform, this.#options.mask, prompted);
    this.#turn = turn;
    this.#connection.agent.request('session/prompt', { sessionId: this.#sessionId, prompt }).then(
      (response) => turn.finish({ response }),
      async (error: unknown) => turn.finish({ error: await this.#explained(error, 'PROMPT_FAILED') }),
    );
    return turn;
  }

  /** Cancels a turn. Resolves when it has ended, for which a program that does not react is killed. */
  async cancel(turn: Turn): Promise<void> {
    turn.refuse('cancel');
    if (turn.end) return;
    // not awaited: a program that does not read would never be killed
    this.#connection.agent.notify('session/cancel', { sessionId: this.#sessionId }).catch(() => undefined);
    if (await timers.settlesWithin(this.#options.platform, CANCEL_GRACE, turn.over)) return;
    this.#program.kill();
    await turn.over;
  }

  /** Uses another model from the next turn on. Rejects `START_FAILED` when the program refuses it, `START_TIMEOUT` when it does not answer. */
  setModel(model: string, signal: AbortSignal): Promise<void> {
    return this.#change(this.#useModel(model), `to use the model ${JSON.stringify(model)}`, signal);
  }

  async #useModel(model: string): Promise<void> {
    const { agent } = this.#connection;
    const choice = this.#choice;
    const sessionId = this.#sessionId;
    try {
      if (choice?.setting !== undefined) {
        const set = await agent.request('session/set_config_option', {
          sessionId,
          configId: choice.setting,
          value: model,
        });
        this.#choice = modelChoiceOf(set.configOptions) ?? { ...choice, current: model };
      } else {
        await agent.request('session/set_model', { sessionId, modelId: model });
        this.#choice = choice && { ...choice, current: model };
      }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const offered = choice ? `choose one of ${choice.models.map(({ id }) => id).join(', ')}` : 'leave the model out';
      const text = `the program does not take the model ${JSON.stringify(model)} (${reasonOf(error)}): ${offered}`;
      throw new AcpAgentError('START_FAILED', text, { cause: error });
    }
  }

  /**
   * Chooses a mode of a program whose mode is not given: one in which it asks before it acts, if `asks`, else its own. Resolves with true if it changed the mode.
   * Rejects `START_FAILED` when the program refuses it, `START_TIMEOUT` when it does not answer, and with `signal.reason`.
   */
  async ask(asks: boolean, signal: AbortSignal): Promise<boolean> {
    const modes = this.#modes;
    const wanted = modes?.wanted(asks);
    if (modes === undefined || wanted === undefined) return false;
    // now, because the program may tell of the change before it answers
    const left = asks ? modes.current : undefined;
    try {
      await this.#change(this.#requestMode(wanted), `to change to its mode ${JSON.stringify(wanted)}`, signal);
      modes.changed(wanted, left);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      throw await this.#explained(error, 'START_FAILED');
    }
  }

  /**
   * Resolves when the program has made a change. Rejects as `change` does, `START_TIMEOUT` after `startupTimeout`, and with `signal.reason`. A program that has not
   * answered is ended then: it may make the change at any time, also behind a later one.
   */
  async #change(change: Promise<void>, wish: string, signal: AbortSignal): Promise<void> {
    const { command, platform, startupTimeout } = this.#options;
    using limit = timers.deadline(platform, startupTimeout, { signal });
    try {
      await abortable(change, limit);
    } catch (error) {
      if (!limit.aborted) throw error;
      this.#program.kill();
      await this.close();
      signal.throwIfAborted();
      const text = `the program ${command} did not answer the request ${wish} within ${startupTimeout} ms${this.#program.lastWords}: run the conversation again, which starts it anew, or allow more startupTimeout`;
      throw new AcpAgentError('START_TIMEOUT', text, { cause: error });
    }
  }

  /** Ends the program. Idempotent. */
  async close(): Promise<void> {
    this.#turn?.finish({ error: new AcpAgentError('ENDED', 'the conversation was closed during the turn') });
    this.#connection.close();
    await this.#program.close();
  }

  async #start(): Promise<void> {
    const { env, mcp, cwd, resume, ownMode, mode, model } = this.#options;
    const { agent } = this.#connection;
    this.#hello = await agent.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
      clientInfo: { name: 'conv', version: '1' },
    });
    const { protocolVersion, authMethods = [], agentCapabilities: can } = this.#hello;
    if (protocolVersion !== PROTOCOL_VERSION) {
      const text = `expected a program that speaks version ${PROTOCOL_VERSION} of the Agent Client Protocol, found version ${protocolVersion}: use another version of the program`;
      throw new AcpAgentError('START_FAILED', text);
    }
    const login = authMethods.find(({ id }) => KEYS.get(id)?.some((name) => env[name] !== undefined));
    if (login) await agent.request('authenticate', { methodId: login.id });
    const place = { cwd, mcpServers: mcpServersOf(mcp, can?.mcpCapabilities, env) };
    const resumes = can?.sessionCapabilities?.resume !== undefined && can.sessionCapabilities.resume !== null;
    if (resume !== undefined && (resumes || can?.loadSession))
      try {
        const opened = resumes
          ? await agent.request('session/resume', { ...place, sessionId: resume })
          : await agent.request('session/load', { ...place, sessionId: resume });
        this.#opened(resume, opened, ownMode);
        this.#isResumed = true;
      } catch (error) {
        // a program that has lost the session begins another one
        if (!(error instanceof RequestError) || error.code === AUTH_REQUIRED) throw error;
      }
    if (!this.#isResumed) {
      const opened = await agent.request('session/new', { ...place });
      this.#opened(opened.sessionId, opened);
    }
    if (mode !== undefined) {
      await this.#requestMode(mode);
      this.#modes?.is(mode);
    }
    if (model !== undefined && this.#choice?.current !== model) await this.#useModel(model);
  }

  #opened(sessionId: string, opened: Opened, ownMode?: string): void {
    this.#sessionId = sessionId;
    this.#choice = offeredModels(opened);
    this.#modes = opened.modes ? new Modes(opened.modes, ownMode) : undefined;
  }

  async #requestMode(modeId: string): Promise<void> {
    await this.#connection.agent.request('session/set_mode', { sessionId: this.#sessionId, modeId });
  }

  #hear(sessionId: string, update: SessionUpdate): void {
    if (sessionId !== this.#sessionId) return;
    if (update.sessionUpdate === 'current_mode_update') this.#modes?.is(update.currentModeId);
    else if (update.sessionUpdate === 'config_option_update')
      this.#choice = modelChoiceOf(update.configOptions) ?? this.#choice;
    else if (this.#turn && !this.#turn.end) this.#turn.update(update);
  }

  /** Returns an error of the connection in words that a person can act on. */
  async #explained(error: unknown, code: 'START_FAILED' | 'PROMPT_FAILED'): Promise<unknown> {
    const { command, platform } = this.#options;
    const options = { cause: error };
    if (error instanceof AcpAgentError) return error;
    if (error instanceof RequestError && error.code === AUTH_REQUIRED) {
      const methods = this.#hello?.authMethods ?? [];
      const offers = methods.length === 0 ? '' : `, which offers: ${methods.map(({ name }) => name).join(', ')}`;
      const names = methods.flatMap(({ id }) => KEYS.get(id) ?? []).join(' or ');
      const key = names === '' ? 'its key as a secret' : `its key as the secret ${names}`;
      const text = `the program ${command} wants a login (${reasonOf(error)}): log in with the program itself${offers}, or give ${key} of the conversation`;
      return new AcpAgentError('LOGIN_REQUIRED', text, options);
    }
    if (error instanceof RequestError) {
      // a program that says why needs no more words, and may have told its standard error everything that it did
      const more = wordsOf(error.data) === '' ? this.#program.lastWords : '';
      const text = `the program ${command} answered with an error (${reasonOf(error)})${more}`;
      return new AcpAgentError(code, text, options);
    }
    const hasEnded = await timers.settlesWithin(platform, END_GRACE, this.#program.ended);
    if (!hasEnded) this.#program.kill();
    const how = hasEnded ? (this.#program.end ?? '') : `its connection broke (${errorText(error)})`;
    const next = code === 'PROMPT_FAILED' ? 'run the conversation again, which starts it anew' : 'check its command';
    const text = `the program ${command} does not answer any more: ${how}${this.#program.lastWords}; ${next}`;
    return new AcpAgentError(code === 'PROMPT_FAILED' ? 'ENDED' : code, text, options);
  }
}

/** Returns the words of a program's error, with its data, in which programs put the cause. */
function reasonOf({ message, data }: RequestError): string {
  const words = wordsOf(data);
  return words === '' ? message : `${message}: ${words}`;
}

/** Returns the data of an error in words. The ways to log in are told elsewhere. */
function wordsOf(data: unknown): string {
  if (typeof data === 'string') return data;
  if (!isObject(data)) return '';
  const { authMethods: _, ...rest } = data;
  return Object.keys(rest).length === 0 ? '' : JSON.stringify(rest);
}
