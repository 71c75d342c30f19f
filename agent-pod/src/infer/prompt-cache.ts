/**
 * Counts what a provider's prompt cache would have read and written, for a model without a provider.
 *
 * An exact prefix counts, for each model by itself: the tools, then the form that the answer is held to, then the system texts,
 * then the blocks of the conversation. A mark
 * writes the prefix up to it if the prefix is long enough. A later request reads the longest prefix that ends at one of its marks
 * or shortly before. A prefix that nobody reads is forgotten.
 *
 * I1  What is read, written and plain adds up to the whole prompt.
 * I2  Counts only: no answer depends on it.
 */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { ModelRequest, Usage } from '@retainer/mind/request/model-request';
import { cacheMarks } from './cache-marks.ts';
import { contentChars, tokensOfChars } from './usage-estimate.ts';

/** Life of a prefix since it was last used, milliseconds: five minutes at the Messages API. */
export const CACHE_LIFE_MS = 300_000;

/** Blocks before a mark among which a written prefix is found, as at the Messages API. */
const BLOCKS_LOOKED_BACK = 20;

/** Most prefixes kept; the oldest goes first. A run writes a few for each call. */
const PREFIXES_MAX = 10_000;

/** Tokens of the shortest prefix that the Messages API caches, for models whose floor is not the usual one. */
const FLOORS: readonly { readonly model: RegExp; readonly tokens: number }[] = [
  { model: /^claude-(?:haiku-|opus-4-[56])/, tokens: 4096 },
  { model: /^claude-(?:3-5-haiku|3-haiku|opus-4-7)/, tokens: 2048 },
];
const FLOOR_TOKENS = 1024;

type PromptUsage = Pick<Usage, 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>;

interface Block {
  readonly chars: number;
  readonly isMarked: boolean;
  /** Of the whole prefix that ends with this block. */
  readonly prefix: string;
}

export class PromptCache {
  /** When each prefix was last used. */
  readonly #usedAtMs = new Map<string, number>();

  /** @param nowMs  of the clock that the run has */
  use(request: ModelRequest, nowMs: number): PromptUsage {
    const blocks = blocksOf(request);
    const ends = endTokens(blocks);
    const marks = blocks.flatMap(({ isMarked }, at) =>
      isMarked && (ends[at] ?? 0) >= floorOf(request.model) ? [at] : [],
    );
    const readAt = marks.toReversed().flatMap((mark) => this.#found(blocks, mark, nowMs))[0];
    const whole = ends.at(-1) ?? 0;
    const read = readAt === undefined ? 0 : (ends[readAt] ?? 0);
    const marked = Math.max(read, ends[marks.at(-1) ?? -1] ?? 0);
    for (const at of readAt === undefined ? marks : [readAt, ...marks]) this.#write(blocks[at]?.prefix, nowMs);
    return { inputTokens: whole - marked, cacheReadTokens: read, cacheWriteTokens: marked - read };
  }

  #found(blocks: readonly Block[], mark: number, nowMs: number): readonly number[] {
    for (let at = mark; at >= Math.max(0, mark - BLOCKS_LOOKED_BACK); at -= 1) {
      const usedAtMs = this.#usedAtMs.get(blocks[at]?.prefix ?? '');
      if (usedAtMs !== undefined && nowMs - usedAtMs < CACHE_LIFE_MS) return [at];
    }
    return [];
  }

  #write(prefix: string | undefined, nowMs: number): void {
    if (prefix === undefined) return;
    this.#usedAtMs.delete(prefix);
    this.#usedAtMs.set(prefix, nowMs);
    forgetOldest(this.#usedAtMs, PREFIXES_MAX);
  }
}

function floorOf(model: string): number {
  return FLOORS.find((row) => row.model.test(model))?.tokens ?? FLOOR_TOKENS;
}

/** Tokens of the prompt up to and with each block. */
function endTokens(blocks: readonly Block[]): readonly number[] {
  let chars = 0;
  return blocks.map((block) => tokensOfChars((chars += block.chars)));
}

interface Piece {
  readonly text: string;
  readonly chars: number;
  readonly isMarked: boolean;
}

function blocksOf(request: ModelRequest): readonly Block[] {
  let prefix = request.model;
  return piecesOf(request).map(({ text, chars, isMarked }) => {
    prefix = sha256Hex(`${prefix}\n${text}`);
    return { chars, isMarked, prefix };
  });
}

function piecesOf(request: ModelRequest): readonly Piece[] {
  const marks = cacheMarks(request);
  const whole = (text: string, isMarked: boolean): Piece => ({ text, chars: text.length, isMarked });
  return [
    ...request.tools.map((tool, at) => whole(canonicalJson(tool), marks.tools.includes(at))),
    ...(request.answerAs === undefined ? [] : [whole(canonicalJson({ ...request.answerAs }), false)]),
    ...request.system.map(({ text }, at) => whole(text, marks.system.includes(at))),
    ...request.messages.flatMap(({ role, content }, at) =>
      content.map((block, place) => ({
        text: `${role}${canonicalJson(block)}`,
        chars: contentChars([block]),
        isMarked: marks.messages.includes(at) && place === content.length - 1,
      })),
    ),
  ];
}
