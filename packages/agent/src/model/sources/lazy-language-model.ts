import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';

/** A model whose provider package is loaded at its first call, because most configured models are never asked. */
export class LazyLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4';
  /** The provider's name in its own models, from which agents infer the protocol before the package is loaded. */
  readonly provider: string;
  readonly modelId: string;
  readonly #load: () => Promise<LanguageModelV4>;
  #loaded: Promise<LanguageModelV4> | undefined;

  constructor(provider: string, modelId: string, load: () => Promise<LanguageModelV4>) {
    this.provider = provider;
    this.modelId = modelId;
    this.#load = load;
  }

  get supportedUrls(): PromiseLike<Record<string, RegExp[]>> {
    return this.#model().then(({ supportedUrls }) => supportedUrls);
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    return (await this.#model()).doGenerate(options);
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    return (await this.#model()).doStream(options);
  }

  #model(): Promise<LanguageModelV4> {
    return (this.#loaded ??= this.#load());
  }
}
