/**
 * What all roles of a run are told first: who the agent is, the Task and its criteria. A request says them once: where a role's own
 * input would say them again, a line of the agent refers to them. So all requests of a run to one model begin with the same
 * bytes, which a provider keeps, and none pays twice for the Task.
 *
 * I1  The line of the agent replaces whole sections only: a text that merely contains the Task stays as it is.
 *
 * Source: Messages API (prompt caching: an exact prefix of tools, system texts, turns).
 */
import { criterionLines, joinSections, scopeSection, textSection, INTENT_CHARACTERS } from './sections.ts';
import type { BusCriterion } from '@retainer/contract/wire/bus/payloads';

const TASK = 'The task of this run';
const SCOPE = 'Keep to';
const CRITERIA = 'Its result is judged by';

const OWN_PART = 'Indented words are of those who gave the task. What is yours to do about it follows.';

const AS_ABOVE = 'as stated in the task of this run.';
const TASK_AND_MORE = 'the task of this run, and:';
const CRITERIA_ABOVE = 'Criteria: those of the task of this run.';

/** The marks of criteria that a role is shown without them: `criterion 2 (plausible): …`. */
const MARKS = /^(criterion \d+) \([^)]*\):/;

export interface TaskWords {
  readonly intent: string;
  readonly scope?: string;
  readonly criteria: readonly BusCriterion[];
}

/** The Task as every role of its run is told it: sections of the agent with the people's words in them. */
export function taskSections({ intent, scope, criteria }: TaskWords): string {
  const lines = criterionLines(criteria);
  return joinSections([
    textSection(TASK, intent, INTENT_CHARACTERS),
    scopeSection(scope),
    lines.length === 0 ? [] : [`${CRITERIA}:`, ...lines],
    [OWN_PART],
  ]);
}

/** The bodies of the sections, without their titles. */
interface Told {
  readonly intent: string;
  readonly scope: string | undefined;
  readonly criteria: readonly string[];
}

/** @param input  what a role is asked  @param sections  see {@link taskSections}  @param tools  described in the same request */
export function saidOnce(input: string, sections: string, tools: readonly string[] = []): string {
  const told = toldIn(sections);
  if (told === undefined) return input;
  return mapSections(input, (section) => namingTools(referring(section, told), tools));
}

/** A planner's tools are named; what each is for stands in the request's list of tools. */
function namingTools(section: string, tools: readonly string[]): string {
  const [title, ...lines] = section.split('\n');
  const names = lines.map((line) => /^tool ([\w-]+): /.exec(line)?.[1] ?? '');
  if (title !== 'Tools:' || !names.every((it) => tools.includes(it))) return section;
  return `Tools that workers may call, each described in this request: ${names.join(', ')}.`;
}

/** The input as it was before {@link saidOnce}, but for what its own words repeated within one section. */
export function saidAgain(input: string, sections: string): string {
  const told = toldIn(sections);
  if (told === undefined) return input;
  return mapSections(input, (section) => repeating(section, told));
}

/** Sections are separated by empty lines, and no text by others has an empty line, because it is indented. */
function mapSections(input: string, change: (section: string) => string): string {
  return input.split('\n\n').map(change).join('\n\n');
}

function toldIn(text: string): Told | undefined {
  const sections = text.split('\n\n');
  const at = sections.findLastIndex((it) => it.startsWith(`${TASK}:\n`));
  if (at === -1) return undefined;
  const bodyOf = (title: string): string | undefined =>
    sections
      .slice(at)
      .find((it) => it.startsWith(`${title}:\n`))
      ?.slice(title.length + 2);
  return { intent: bodyOf(TASK) ?? '', scope: bodyOf(SCOPE), criteria: bodyOf(CRITERIA)?.split('\n') ?? [] };
}

function referring(section: string, { intent, scope, criteria }: Told): string {
  const titled = section.indexOf(':\n');
  const title = titled === -1 ? '' : section.slice(0, titled + 1);
  const body = section.slice(titled + 2);
  if (title !== '' && !title.includes('\n')) {
    if (body === intent || (body === scope && title === `${SCOPE}:`)) return `${title} ${AS_ABOVE}`;
    if (criteria.length > 0 && body === criteria.join('\n')) return `${title} ${AS_ABOVE}`;
    if (body.startsWith(`${intent}\n  \n`))
      return withMore(title, body.slice(intent.length + '\n  \n'.length), scope, criteria);
  }
  return withoutCriteria(section, criteria);
}

/** A Task's whole text repeats its scope and criteria between the background and what is remembered. */
function withMore(title: string, rest: string, scope: string | undefined, criteria: readonly string[]): string {
  const again = [
    ...(scope === undefined ? [] : [`  ${SCOPE}: ${scope.trim()}`]),
    ...(criteria.length === 0 ? [] : [['  The result is judged by:', ...criteria.map(numbered)].join('\n')]),
  ];
  const kept = rest.split('\n  \n').filter((part) => !again.includes(part));
  return kept.length === 0 ? `${title} ${AS_ABOVE}` : `${title} ${TASK_AND_MORE}\n${kept.join('\n  \n')}`;
}

function numbered(line: string): string {
  return line.replace(MARKS, '$1:').replace(/^criterion (\d+): /, '  $1. ');
}

/** Criteria without a title of their own, perhaps followed by more lines. */
function withoutCriteria(section: string, criteria: readonly string[]): string {
  if (criteria.length === 0) return section;
  const lines = section.split('\n');
  const own = lines.slice(0, criteria.length).map(unmarked);
  const isSame = own.length === criteria.length && own.every((line, at) => line === unmarked(criteria[at] ?? ''));
  return isSame ? [CRITERIA_ABOVE, ...lines.slice(criteria.length)].join('\n') : section;
}

const unmarked = (line: string): string => line.replace(MARKS, '$1:');

function repeating(section: string, { intent, scope, criteria }: Told): string {
  const [first = '', ...rest] = section.split('\n');
  if (first === CRITERIA_ABOVE) return [...criteria.map(unmarked), ...rest].join('\n');
  const title = (ending: string): string => first.slice(0, -ending.length - 1);
  if (first.endsWith(TASK_AND_MORE)) return [title(TASK_AND_MORE), intent, '  ', ...rest].join('\n');
  if (!first.endsWith(` ${AS_ABOVE}`)) return section;
  const named = title(AS_ABOVE);
  const body =
    named === `${SCOPE}:` ? (scope ?? '') : /judged by|[Cc]riteria/.test(named) ? criteria.join('\n') : intent;
  return [named, body, ...rest].join('\n');
}
