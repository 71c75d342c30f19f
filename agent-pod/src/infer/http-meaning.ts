/**
 * Vectors of texts from a server with the embeddings API of OpenAI: `POST BASE/embeddings`.
 *
 * I1  A question never waits longer than {@link QUESTION_WAIT_MS}, and nobody waits again for what is late: it is compared by words.
 * I2  Texts that are remembered are asked for one batch after the other, and only while the server answers.
 * I3  No error contains the key.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { parseJson } from '@retainer/contract/std/parse-json';
import { noProxies, type ProxySettings } from '@retainer/contract/std/proxies';
import { dot, type TextVector } from '@retainer/mind/meaning/text-vector';
import type { WordsOnly } from '@retainer/mind/memory/recall/recalled';
import { z } from 'zod';
import type { MeaningPort } from '../ports/meaning.ts';
import { openWire } from './model-wire.ts';
import type { VectorCache } from './vector-cache.ts';

/** Milliseconds. A recall is a part of each run's start; nobody should notice it. */
export const QUESTION_WAIT_MS = 250;

/** Milliseconds. An answer that takes longer is none. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Texts of one request. Servers take more; a batch that fails is asked for again. */
const BATCH_TEXTS = 64;

/** Characters of a text that are sent: its first pages say what it is about, and fit every model. */
const TEXT_CHARACTERS = 8_000;

/** Texts that wait for their turn: as many as are indexed of anything. */
const WAITING_MAX = 50_000;

/** Numbers of a vector. The largest models have 4,096. */
const DIMENSIONS_MAX = 8_192;

/** Of an answer: 64 vectors of 8,192 numbers in 20 characters each take 10 MB. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

const Answer = z.object({
  data: z
    .array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(DIMENSIONS_MAX) }))
    .max(BATCH_TEXTS),
});

export interface HttpMeaningOptions {
  /** Without `/embeddings`. */
  readonly baseURL: string;
  readonly model: string;
  /** Absent: the server asks for none. */
  readonly apiKey?: string;
  readonly cache: VectorCache;
  /** Absent: none. */
  readonly proxies?: ProxySettings;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly onNotice?: (notice: string) => void;
}

export class HttpMeaning implements MeaningPort {
  readonly #options: HttpMeaningOptions;
  /** Texts that were asked for and are not yet there. */
  readonly #asked = new Map<string, Promise<WordsOnly | undefined>>();
  /** What to do once a text's vector is known, oldest first. */
  readonly #waiting = new Map<string, (text: string) => void>();
  /** Asked for, and not there when somebody had waited long enough. */
  readonly #late = new Set<string>();
  #isLearning = false;
  #isAway = false;

  constructor(options: HttpMeaningOptions) {
    this.#options = options;
  }

  readonly vectorOf = (text: string): TextVector | undefined => this.#options.cache.get(text);

  async prepare(texts: readonly string[]): Promise<WordsOnly | undefined> {
    const { cache, clock } = this.#options;
    const unknown = texts.filter((text) => !cache.has(text));
    if (unknown.length === 0) return undefined;
    if (unknown.every((text) => this.#late.has(text))) return 'Late';
    const over = new AbortController();
    const late = clock.sleep(QUESTION_WAIT_MS, over.signal).then(
      () => 'Late' as const,
      () => undefined,
    );
    const why = await Promise.race([this.#ask(unknown), late]);
    over.abort(answered);
    if (why === 'Late') for (const text of unknown) if (this.#asked.has(text)) this.#late.add(text);
    return why;
  }

  learn(texts: readonly string[], onKnown: (text: string) => void): void {
    for (const text of texts)
      if (!this.#options.cache.has(text) && this.#waiting.size < WAITING_MAX) this.#waiting.set(text, onKnown);
    if (!this.#isAway) void this.#learnWaiting();
  }

  /** Never rejects. */
  async #learnWaiting(): Promise<void> {
    if (this.#isLearning) return;
    this.#isLearning = true;
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, BATCH_TEXTS);
      if ((await this.#ask(batch.map(([text]) => text))) !== undefined) break;
      for (const [text, onKnown] of batch) {
        this.#waiting.delete(text);
        if (this.#options.cache.has(text)) onKnown(text);
      }
    }
    this.#isLearning = false;
  }

  /** One request for what nobody has asked for yet. Never rejects. */
  async #ask(texts: readonly string[]): Promise<WordsOnly | undefined> {
    const fresh = texts.filter((text) => !this.#asked.has(text)).slice(0, BATCH_TEXTS);
    const request = fresh.length === 0 ? Promise.resolve(undefined) : this.#request(fresh);
    for (const text of fresh) this.#asked.set(text, request);
    const all = await Promise.all(texts.map((text) => this.#asked.get(text) ?? Promise.resolve(undefined)));
    for (const text of fresh) {
      this.#asked.delete(text);
      this.#late.delete(text);
    }
    return all.find((why) => why !== undefined);
  }

  async #request(texts: readonly string[]): Promise<WordsOnly | undefined> {
    const { cache, onNotice } = this.#options;
    try {
      const vectors = await this.#fetch(texts);
      for (const [at, text] of texts.entries()) {
        const vector = vectors.get(at);
        if (vector !== undefined) cache.set(text, vector);
      }
      const wasAway = this.#isAway;
      this.#isAway = false;
      if (wasAway) void this.#learnWaiting();
      return undefined;
    } catch (error) {
      if (!this.#isAway) onNotice?.(`the embedding server is away, so memory compares by words: ${reasonOf(error)}`);
      this.#isAway = true;
      return 'Away';
    }
  }

  /** By place in `texts`. @throws if the server does not give usable vectors in time */
  async #fetch(texts: readonly string[]): Promise<ReadonlyMap<number, TextVector>> {
    const { baseURL, model, apiKey, proxies = noProxies } = this.#options;
    const wire = openWire({ proxies }, () => undefined);
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const request = wire.fetch(`${baseURL.replace(/\/$/, '')}/embeddings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input: texts.map((text) => text.slice(0, TEXT_CHARACTERS)) }),
      signal,
    });
    const response = await request.catch(() => {
      signal.throwIfAborted();
      throw new Error(`it cannot be reached (${wire.seen()?.broken?.code ?? 'no connection'})`);
    });
    if (!response.ok) throw new Error(`it answers ${response.status}`);
    const answer = Answer.safeParse(parseJson(await boundedText(response)));
    if (!answer.success) throw new Error('its answer holds no list of vectors');
    return new Map(answer.data.data.map(({ index, embedding }) => [index, normalised(embedding)]));
  }
}

/** @throws if it is longer than any batch of vectors */
async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`its answer has more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Shared: an error for each question would cost more than the abort. */
const answered = new Error('the vectors are there');

function normalised(embedding: readonly number[]): TextVector {
  const vector = Float32Array.from(embedding);
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((value) => value / length);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  if (error.name === 'TimeoutError') return `no answer within ${REQUEST_TIMEOUT_MS / 1000} s`;
  return error.message;
}
