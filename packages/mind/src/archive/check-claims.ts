/**
 * Takes out of a reflection what no call of the run shows: a tool that did not run, a file or an address that no call touched.
 *
 * I1  A sentence that holds such a claim is left out whole: half of it would say something else.
 * I2  Whatever the model says, nothing that it names becomes a call: tools and steps of a case come from the record.
 *
 * Source: springdrift 4 (the list of calls is believed; claims beyond it make the entry partial).
 */
import type { Reflection } from '../request/answers/reflection.ts';
import { sentencesOf } from '../run/verdict/content-words.ts';
import type { Account } from './account.ts';
import { isShownPlace, placesIn } from './places.ts';

export interface Checked {
  readonly reflection: Reflection;
  /** Claims that nothing shows, each once, in their own words. */
  readonly beyond: readonly string[];
}

export function checkClaims(reflection: Reflection, account: Account): Checked {
  const claimed = reflection.calls.filter((call) => !isCall(call, account));
  const named = [...claimed.map(({ tool }) => tool), ...account.known];
  const strangeTools = named.filter((it) => !account.ran.includes(it));
  const beyond = new Set(
    claimed.map(({ tool, target }) => [tool, ...(target === undefined ? [] : [target])].join(' ')),
  );
  const isClear = (text: string): boolean => {
    const found = claimsBeyond(text, strangeTools, account);
    for (const claim of found) beyond.add(claim);
    return found.length === 0;
  };
  const cleared = (text: string): string =>
    sentencesOf(text)
      .filter((sentence) => isClear(sentence.text))
      .map((sentence) => sentence.text)
      .join('')
      .trim();
  const { prose, entities, calls, case: made, ...labels } = reflection;
  const known = [...account.places, ...placesIn(account.intent)];
  const kept = {
    ...labels,
    prose: cleared(prose),
    entities: entities.filter((it) => placesIn(it).every((place) => known.some((shown) => isShownPlace(place, shown)))),
    calls: calls.filter((call) => !claimed.includes(call)),
    ...(made === undefined ? {} : caseOf(made, cleared, isClear)),
  };
  return { reflection: kept, beyond: [...beyond] };
}

type MadeCase = NonNullable<Reflection['case']>;

/** Without an approach, there is nothing to do again. */
function caseOf(
  { approach, assessment, pitfalls }: MadeCase,
  cleared: (text: string) => string,
  isClear: (text: string) => boolean,
): { readonly case?: MadeCase } {
  const kept = { approach: cleared(approach), assessment: cleared(assessment), pitfalls: pitfalls.filter(isClear) };
  return kept.approach === '' ? {} : { case: kept };
}

function isCall({ tool, target }: Reflection['calls'][number], { ran, calls, places }: Account): boolean {
  if (!ran.includes(tool)) return false;
  if (target === undefined) return true;
  const own = calls.filter((it) => it.tool === tool);
  return (
    own.some((it) => it.target?.includes(target) === true) ||
    placesIn(target).some((place) => places.some((shown) => isShownPlace(place, shown))) ||
    places.some((shown) => isShownPlace(target, shown))
  );
}

function claimsBeyond(text: string, strangeTools: readonly string[], { places }: Account): readonly string[] {
  const tools = strangeTools.filter((tool) => namesTool(text, tool));
  const strange = placesIn(text).filter((place) => !places.some((shown) => isShownPlace(place, shown)));
  return [...tools, ...strange];
}

/** A tool's name may be a plain word: `bash`, `send`. It is meant as a name only in backquotes, or with an underscore. */
function namesTool(text: string, tool: string): boolean {
  if (text.includes(`\`${tool}\``)) return true;
  return tool.includes('_') && text.split(/[^\p{L}\p{N}_-]+/u).includes(tool);
}
