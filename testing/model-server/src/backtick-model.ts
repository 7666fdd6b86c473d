import { backtickScript } from './backtick-script.ts';
import { createModelServer } from './model-server.ts';

/** The model of {@link startBacktickModel}, as variables name it. */
export const BACKTICK_MODEL = 'openai/scripted-model';

/** A running model that runs the commands in backticks. */
export interface BacktickModel extends AsyncDisposable {
  /** The variables under which a program finds it. */
  readonly environment: Readonly<Record<string, string>>;
  /** A line that tells a person who answers. */
  readonly note: string;
}

/** Starts the server of {@link backtickScript} on loopback. Resolves when it answers. */
export async function startBacktickModel(): Promise<BacktickModel> {
  const server = await createModelServer({ script: backtickScript });
  return {
    environment: { LLM_MODEL: BACKTICK_MODEL, LLM_BASE_URL: server.url, LLM_API_KEY: '' },
    note: `no LLM_MODEL is set: a script answers at ${server.url}; it runs the commands in backticks in your message`,
    [Symbol.asyncDispose]: () => server.close(),
  };
}
