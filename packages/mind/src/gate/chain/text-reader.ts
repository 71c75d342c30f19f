/**
 * What a gate's rules find in texts, with long texts read ahead of the verdict.
 *
 * I1  Whether a text was read ahead changes nothing but the time of the verdict: both ways are one computation.
 *
 * A verdict asks for the same text several times, once for each answer of a model.
 */
import { finished, SLICE_UNITS, type Sliced } from '../text/pace.ts';
import { SCREENED_CHARACTERS_MAX } from '../text/limits.ts';
import type { GateName } from '../verdict.ts';
import type { RuleFindings } from './rule-reading.ts';

export type FindInText = (gate: GateName, text: string, agent: string) => Sliced<RuleFindings>;

/** Characters of a text that is read ahead. A shorter one takes a few slices, which nobody waits for. */
export const LONG_CHARACTERS_MIN = 2 * SLICE_UNITS;

/** Characters of all texts whose findings are kept: what one answer of a model may hold, and far more. The oldest go first. */
const KEPT_CHARACTERS_MAX = 4 * SCREENED_CHARACTERS_MAX;

export class TextReader {
  readonly #find: FindInText;
  readonly #known = new Map<string, RuleFindings>();
  #keptCharacters = 0;

  constructor(find: FindInText) {
    this.#find = find;
  }

  /** What the rules find. At the tool gate, only the character's rules for this agent. */
  found(gate: GateName, text: string, agent: string): RuleFindings {
    return this.#known.get(keyOf(gate, text, agent)) ?? finished(this.#find(gate, text, agent));
  }

  /** Reads a long text, so that `found` has it at hand. */
  *readAhead(gate: GateName, text: string, agent: string): Sliced<void> {
    if (text.length < LONG_CHARACTERS_MIN) return;
    const key = keyOf(gate, text, agent);
    if (this.#known.has(key)) return;
    this.#keep(key, yield* this.#find(gate, text, agent));
  }

  #keep(key: string, found: RuleFindings): void {
    this.#known.set(key, found);
    this.#keptCharacters += key.length;
    for (const oldest of this.#known.keys()) {
      if (this.#keptCharacters <= KEPT_CHARACTERS_MAX || oldest === key) return;
      this.#known.delete(oldest);
      this.#keptCharacters -= oldest.length;
    }
  }
}

function keyOf(gate: GateName, text: string, agent: string): string {
  return `${gate} ${agent} ${text}`;
}
