import { err, ok, type Result } from '@retainer/contract/std/result';
import { RE2JS, RE2JSSyntaxException } from 're2js';

export interface Pattern {
  /** Whether it matches any part of `text`. Takes time linear in the length of `text`. */
  isFoundIn(text: string): boolean;
  /** The first match in `text`, in UTF-16 units; undefined if there is none. */
  find(text: string): { readonly start: number; readonly end: number } | undefined;
  /** The text with the first match, or with all of them, taken out for `fresh` as it stands. */
  replaced(text: string, fresh: string, which: 'First' | 'All'): string;
}

/** Characters. A person cannot review a longer rule. The CharacterSpec's schema has the same limit. */
export const MAX_PATTERN_CHARACTERS = 512;

/** RE2 syntax: no back-references and no look-around, so no input can make it slow. Source: libraries 1. */
export function compilePattern(source: string): Result<Pattern, string> {
  if (source === '') return err('the pattern is empty and matches everything; remove it');
  if (source.length > MAX_PATTERN_CHARACTERS) {
    return err(`the pattern has ${source.length} characters; at most ${MAX_PATTERN_CHARACTERS} are allowed`);
  }
  try {
    const compiled = RE2JS.compile(source);
    return ok({
      isFoundIn: (text) => compiled.test(text),
      find: (text) => {
        // Locating a match is expensive, and most texts have none.
        const matcher = compiled.test(text) ? compiled.matcher(text) : undefined;
        return matcher?.find() === true ? { start: matcher.start(), end: matcher.end() } : undefined;
      },
      replaced: (text, fresh, which) => {
        const matcher = compiled.matcher(text);
        let [result, at] = ['', 0];
        while (matcher.find()) {
          result += text.slice(at, matcher.start()) + fresh;
          at = matcher.end();
          if (which === 'First') break;
        }
        return result + text.slice(at);
      },
    });
  } catch (cause) {
    // The library reports a broken pattern only by throwing.
    const detail = cause instanceof RE2JSSyntaxException ? cause.message : 'it cannot be compiled';
    return err(`the pattern is not valid RE2: ${detail}`);
  }
}
