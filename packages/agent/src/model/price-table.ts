import { calcPrice } from '@pydantic/genai-prices';

/** How providers are called in the table, by the first part of a model's name. Others are called there as they are here. */
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

/** First parts of names that say how to get to a model: what follows may name its provider. */
const ROUTES: ReadonlySet<string> = new Set(['openai', 'litellm_proxy']);

/** Tokens of one call. Cached ones are part of the prompt. */
export interface TokenCounts {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

const NO_TOKENS: TokenCounts = { promptTokens: 0, completionTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/**
 * What the table of public prices, which comes with this package and asks no server, says of one call in US dollars, tiers for
 * long prompts included. `undefined` for a model that it does not know.
 */
export function listPrice(name: string, tokens: TokenCounts): number | undefined {
  return entryOf(name, tokens)?.total_price;
}

/** The context window that the table knows for a model, in tokens. */
export function listedContextWindow(name: string): number | undefined {
  return entryOf(name, NO_TOKENS)?.model.context_window;
}

function entryOf(name: string, tokens: TokenCounts): ReturnType<typeof calcPrice> | undefined {
  for (const [vendor, id] of readingsOf(name)) {
    const found = lookUp(id, Object.hasOwn(PROVIDERS, vendor) ? PROVIDERS[vendor] : vendor, tokens);
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

function lookUp(id: string, providerId: string | undefined, tokens: TokenCounts): ReturnType<typeof calcPrice> {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens } = tokens;
  try {
    return calcPrice(
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
    // A price that cannot be reckoned is not known; the answer was paid for and counts.
    return null;
  }
}
