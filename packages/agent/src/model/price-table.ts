import type { calcPrice } from '@pydantic/genai-prices';

/**
 * The table's names of providers, by the first part of a model's name. All other providers have the same name in both.
 */
const PROVIDERS: Readonly<Record<string, string>> = {
  gemini: 'google',
  vertex: 'google',
  'google-vertex': 'google',
  moonshot: 'moonshotai',
  xai: 'x-ai',
  bedrock: 'aws',
  'amazon-bedrock': 'aws',
  fireworks_ai: 'fireworks',
  together_ai: 'together',
};

/** First parts of names that say how to reach a model: the part behind them may name its provider. */
const ROUTES: ReadonlySet<string> = new Set(['openai', 'litellm_proxy']);

/** Tokens of one call. Cached tokens are part of the prompt. */
export interface TokenCounts {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

type PriceEntry = NonNullable<ReturnType<typeof calcPrice>>;

const NO_TOKENS: TokenCounts = { promptTokens: 0, completionTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/**
 * Resolves the price of one call in US dollars by the table of public prices, tiers for long prompts included. The
 * table comes with this package, asks no server, and is loaded at the first call. Resolves `undefined` for a model that
 * it lacks.
 */
export async function listPrice(name: string, tokens: TokenCounts): Promise<number | undefined> {
  return (await entryOf(name, tokens))?.total_price;
}

/** Resolves the context window of a model in that table, in tokens. */
export async function listedContextWindow(name: string): Promise<number | undefined> {
  return (await entryOf(name, NO_TOKENS))?.model.context_window;
}

async function entryOf(name: string, tokens: TokenCounts): Promise<PriceEntry | undefined> {
  // several hundred kilobytes, which a program that asks no model never reads
  const table = await import('@pydantic/genai-prices');
  for (const [vendor, id] of readingsOf(name)) {
    const found = lookUp(table, id, Object.hasOwn(PROVIDERS, vendor) ? PROVIDERS[vendor] : vendor, tokens);
    if (found) return found;
  }
  return undefined;
}

/** The pairs of provider and id that a name may stand for. */
function readingsOf(name: string): readonly (readonly [vendor: string, id: string])[] {
  const [vendor, id] = splitName(name);
  return ROUTES.has(vendor) && id.includes('/') ? [[vendor, id], splitName(id)] : [[vendor, id]];
}

function splitName(name: string): readonly [vendor: string, id: string] {
  const slash = name.indexOf('/');
  return slash === -1 ? ['openai', name] : [name.slice(0, slash), name.slice(slash + 1)];
}

function lookUp(
  table: { readonly calcPrice: typeof calcPrice },
  id: string,
  providerId: string | undefined,
  tokens: TokenCounts,
): PriceEntry | null {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens } = tokens;
  try {
    return table.calcPrice(
      {
        // Providers that count cached tokens beside the prompt would make the rest negative.
        input_tokens: Math.max(promptTokens, cacheReadTokens + cacheWriteTokens),
        output_tokens: completionTokens,
        cache_read_tokens: cacheReadTokens,
        cache_write_tokens: cacheWriteTokens,
      },
      id,
      providerId === undefined ? {} : { providerId },
    );
  } catch {
    // A price that cannot be computed is unknown; the call must not fail, because its answer was paid for and counts.
    return null;
  }
}
