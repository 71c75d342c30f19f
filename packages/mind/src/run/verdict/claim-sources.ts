/** Texts that may show what a result states. */

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
    readonly files: readonly { readonly path: string }[];
  }[],
  given: readonly string[],
): Sources {
  const isOk = (it: { readonly status: string }): boolean => it.status === 'Ok';
  const ran = calls.filter((it) => it.status !== 'Unrun');
  return {
    outputs: ran.map((it) => it.output),
    names: ran.map((it, at) => /[^-]*$/.exec(it.callId ?? '')?.[0] || `t${at + 1}`),
    args: calls.filter(isOk).map((it) => it.input ?? ''),
    places: calls.filter(isOk).flatMap((it) => [it.target ?? '', ...it.files.map(({ path }) => path)]),
    given: given.map(withoutMarked),
  };
}

/** With all words of a date, and all groups of a number. */
const MARKED =
  /(?:\d{1,2}\.?\s\p{L}+\.?,?\s\d{4}|\p{L}+\s\d{1,2},?\s\d{4}|\d[\d.,'’\u00a0\u202f ]*|\S+) \[unsupported\]/gu;

export function withoutMarked(text: string): string {
  return text.replaceAll(MARKED, '');
}
