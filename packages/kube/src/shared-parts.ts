/**
 * Keeps equal parts of objects once: of a thousand StatefulSets that one program made, little differs.
 *
 * I1  The output equals the input, the order of its keys included.
 * I2  The memory of parts is bounded. Parts that recur stay; parts that came once go.
 */

/** Characters of a part as text. Larger parts are seldom equal; their own parts are examined separately. */
const TEXT_LENGTH_MAX = 256;
/** V8 itself keeps strings up to this length once when it parses JSON. */
const OWN_LENGTH_MAX = 10;
/** Entries of each of two generations: some 3 MB with all that they hold. */
const GENERATION_MAX = 4_096;

/** The shared form of a part, with its text if that is short enough to look up or to be a piece of such a text. */
interface Part {
  readonly value: unknown;
  readonly text: string | undefined;
}

export class SharedParts {
  readonly #strings = new Known<string>();
  readonly #parts = new Known<object>();

  /** @param object  plain data that nobody else holds: its parts are replaced in place */
  share<T extends object>(object: T): T {
    return this.#part(object).value as T;
  }

  #part(value: unknown): Part {
    if (typeof value === 'string') return this.#string(value);
    if (typeof value !== 'object' || value === null) return { value, text: String(value) };
    const text = this.#sharedWithin(value as Record<string, unknown>);
    if (text === undefined) return { value, text };
    const whole = Array.isArray(value) ? `[${text}]` : `{${text}}`;
    return { value: this.#parts.first(whole, value), text: whole };
  }

  #string(value: string): Part {
    if (value.length > TEXT_LENGTH_MAX) return { value, text: undefined };
    return {
      value: value.length > OWN_LENGTH_MAX ? this.#strings.first(value, value) : value,
      text: JSON.stringify(value),
    };
  }

  /** @returns the content as text; undefined if that is too long */
  #sharedWithin(fields: Record<string, unknown>): string | undefined {
    let text: string | undefined = '';
    for (const key of Object.keys(fields)) {
      const part = this.#part(fields[key]);
      fields[key] = part.value;
      if (text !== undefined && part.text !== undefined) text += `${JSON.stringify(key)}:${part.text},`;
      else text = undefined;
      if (text !== undefined && text.length > TEXT_LENGTH_MAX) text = undefined;
    }
    return text;
  }
}

/** The recently seen values, in two generations: a value that is asked for again moves to the younger one. */
class Known<T> {
  #younger = new Map<string, T>();
  #older = new Map<string, T>();

  /** @returns the first value given for the key, as far as it is remembered */
  first(key: string, value: T): T {
    const young = this.#younger.get(key);
    if (young !== undefined) return young;
    const first = this.#older.get(key) ?? value;
    if (this.#younger.size >= GENERATION_MAX) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(key, first);
    return first;
  }
}
