/** Compiles one entry of `authority` to a predicate over calls. */
import { matchesName } from '@retainer/contract/std/name-pattern';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { AuthorityEntry } from './character-policy.ts';
import { compileGlob, type Glob } from './glob.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { finished } from './text/pace.ts';
import { spellingsOf } from './text/spellings.ts';
import type { KnownTools } from './tool-facts.ts';
import type { CallFacts } from './verdict.ts';

/** How a condition treats several files or hosts: a limit applies if one of them matches, a grant only if all match. */
export type Quantifier = 'some' | 'every';

export interface CompiledEntry {
  readonly id: string;
  readonly description: string;
  covers(call: CallFacts): boolean;
  readonly globs: readonly Glob[];
  /** The same globs if the entry also limits scripts; otherwise empty. */
  readonly scriptGlobs: readonly Glob[];
}

type Condition = (call: CallFacts) => boolean;

interface ConditionParts {
  readonly globs: readonly Glob[];
  readonly pattern: Pattern | undefined;
}

/** @returns  the entry, or one sentence for each error, addressed to the author of the CharacterSpec */
export function compileEntry(
  entry: AuthorityEntry,
  quantifier: Quantifier,
  known: KnownTools,
): Result<CompiledEntry, readonly string[]> {
  const globs = (entry.paths ?? []).map(compileGlob);
  const pattern = entry.pattern === undefined ? undefined : compilePattern(entry.pattern);
  const errors = [
    ...shapeErrors(entry, known),
    ...globs.flatMap((glob) => (glob.ok ? [] : [glob.error])),
    ...(pattern === undefined || pattern.ok ? [] : [pattern.error]),
  ];
  if (errors.length > 0) return err(errors);
  const parts: ConditionParts = {
    globs: globs.flatMap((glob) => (glob.ok ? [glob.value] : [])),
    pattern: pattern?.ok === true ? pattern.value : undefined,
  };
  const conditions = conditionsOf(entry, parts, quantifier);
  return ok({
    id: entry.id,
    description: entry.description,
    covers: (call) => conditions.every((condition) => condition(call)),
    globs: parts.globs,
    scriptGlobs: limitsScripts(entry, known) ? parts.globs : [],
  });
}

function shapeErrors(entry: AuthorityEntry, known: KnownTools): readonly string[] {
  const { tools, paths } = entry;
  const given = [tools, entry.effectClass, paths, entry.domains, entry.pattern];
  if (given.every((condition) => condition === undefined)) {
    return [
      'has no tools, effectClass, paths, domains or pattern, so it matches no call; add one (tools: ["*"] matches every call)',
    ];
  }
  const empty = Object.entries({ tools, paths, domains: entry.domains }).filter(([, values]) => values?.length === 0);
  const errors = empty.map(([name]) => `${name} is an empty list, which matches no call; fill it or remove it`);
  if (
    paths !== undefined &&
    tools !== undefined &&
    tools.length > 0 &&
    tools.every((tool) => known.factsOf(tool).writes === 'Nothing')
  ) {
    errors.push(
      `has paths, which match the files that a call writes, but ${tools.join(', ')} writes no files; remove paths or tools`,
    );
  }
  return errors;
}

function conditionsOf(entry: AuthorityEntry, parts: ConditionParts, quantifier: Quantifier): readonly Condition[] {
  const { tools, effectClass, domains } = entry;
  const { globs, pattern } = parts;
  const conditions: Condition[] = [];
  if (tools !== undefined) conditions.push((call) => tools.some((tool) => matchesName(tool, call.tool)));
  if (effectClass !== undefined) conditions.push((call) => call.effectClass >= effectClass);
  if (globs.length > 0) {
    conditions.push((call) => holds(quantifier, call.writePaths, (path) => globs.some((glob) => glob.matches(path))));
  }
  if (domains !== undefined) {
    const names = domains.map((domain) => domain.toLowerCase());
    conditions.push((call) => holds(quantifier, call.domains, (host) => names.some((name) => coversHost(name, host))));
  }
  if (pattern !== undefined) {
    conditions.push((call) => argumentForms(call, quantifier).some((text) => pattern.isFoundIn(text)));
  }
  return conditions;
}

function holds(quantifier: Quantifier, values: readonly string[], test: (value: string) => boolean): boolean {
  return quantifier === 'some' ? values.some(test) : values.length > 0 && values.every(test);
}

/** Whether `domain` equals `host`, or is `*.` followed by a parent domain of it. Both are in lower case. */
export function coversHost(domain: string, host: string): boolean {
  return domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain;
}

/** A limit reads every form that could hide a match; a grant reads only the actual text. */
function argumentForms(call: CallFacts, quantifier: Quantifier): readonly string[] {
  return quantifier === 'some' ? screenedArguments(call) : [call.argumentsText];
}

/** The canonical JSON, and its strings as the tool receives them: a rule would not see white space that JSON escapes. */
export function screenedArguments(call: CallFacts): readonly string[] {
  const strings: string[] = [];
  JSON.parse(call.argumentsText, (_key, value: unknown) => {
    if (typeof value === 'string') strings.push(value);
    return value;
  });
  return [
    ...new Set(
      [call.argumentsText, strings.join('\n')].flatMap((it) => finished(spellingsOf(it))).map(({ text }) => text),
    ),
  ];
}

/** Whether it can apply to files that a script changes, whatever its pattern: a script can spell anything. */
function limitsScripts(entry: AuthorityEntry, known: KnownTools): boolean {
  const { tools = ['*'], effectClass = 0 } = entry;
  const meansCode = known.all.some(
    (it) => it.runsCode && effectClass <= it.effectClass && tools.some((tool) => matchesName(tool, it.name)),
  );
  return meansCode && entry.domains === undefined;
}
