/** Texts that may show what a result states. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { parseJson } from '@retainer/contract/std/parse-json';

export interface Sources {
  /** Whole outputs of tools: a cut output no longer shows its middle. */
  readonly outputs: readonly string[];
  /** Written files, and targets of successful calls. */
  readonly places: readonly string[];
  /** The task in its own words, and the texts handed on to it. */
  readonly given: readonly string[];
  /** Texts that say what is compared, and show nothing. */
  readonly asked?: readonly string[];
  /** Names of the outputs in derivations, in their order; `t1`, `t2` where they are absent. */
  readonly names?: readonly string[];
  /** Texts that successful calls wrote into files, whose digests they have. */
  readonly written?: readonly string[];
  /** Arguments of successful calls. They show how the work was done, not what came of it. */
  readonly args?: readonly string[];
}

export function textsOf({ outputs, given }: Sources): readonly string[] {
  return [...outputs, ...given];
}

/** The sources of a subtask's output: its calls with a result, and its given texts. */
export function sourcesOf(
  calls: readonly {
    readonly status: string;
    readonly output: string;
    readonly callId?: string;
    readonly input?: string;
    readonly target?: string;
    readonly files: readonly { readonly path: string; readonly sha256?: string }[];
  }[],
  given: readonly string[],
): Sources {
  const isOk = (it: { readonly status: string }): boolean => it.status === 'Ok';
  const ran = calls.filter((it) => it.status !== 'Unrun');
  return {
    outputs: ran.map((it) => it.output),
    names: ran.map((it, at) => /[^-]*$/.exec(it.callId ?? '')?.[0] || `t${at + 1}`),
    written: calls.filter(isOk).flatMap(writtenBy),
    args: calls.filter(isOk).map((it) => it.input ?? ''),
    places: calls.filter(isOk).flatMap((it) => [it.target ?? '', ...it.files.map(({ path }) => path)]),
    given: given.map(withoutMarked),
  };
}

/** The text that a tool was given to write, if a file has just that. */
function writtenBy({
  input = '',
  files,
}: {
  readonly input?: string;
  readonly files: readonly { readonly sha256?: string }[];
}): readonly string[] {
  const given = files.length === 0 ? undefined : parseJson(input);
  if (typeof given !== 'object' || given === null) return [];
  return Object.values(given).filter(
    (it): it is string => typeof it === 'string' && files.some(({ sha256 }) => sha256 === sha256Hex(it)),
  );
}

/** With all words of a date, and all groups of a number. */
const MARKED =
  /(?:\d{1,2}\.?\s\p{L}+\.?,?\s\d{4}|\p{L}+\s\d{1,2},?\s\d{4}|\d[\d.,'’\u00a0\u202f ]*|\S+) \[unsupported\]/gu;

export function withoutMarked(text: string): string {
  return text.replaceAll(MARKED, '');
}
