/**
 * The planner's input: the task, the content of memory, the last round, and the available tools and workers.
 *
 * Source: artoo A.4 (input, directives), A.11 (MUST NOT and SHOULD PREFER), C (workers).
 */
import { roleName } from '@retainer/contract/api/roles';
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { BusCriterion, Salvage } from '@retainer/contract/wire/bus/payloads';
import { indent, quoted, safeName } from '../request/lines.ts';
import type { ShownLine } from './constraint-lines.ts';
import { openPartLines } from './open-parts.ts';
import {
  clipped,
  criterionLines,
  INTENT_CHARACTERS,
  indentedWithin,
  joinSections,
  listSection,
  newestOnly,
  scopeSection,
  textSection,
} from './sections.ts';
import { triedLines, type TriedRound } from './tried-lines.ts';
import { utcDate, utcMinute } from '@retainer/contract/std/utc-date';

type PlanDirective = BusPayload<'PlanDirective'>;

/** Characters of a kept result; the whole text is an artifact. Source: artoo A.7 (what one step hands to another). */
const SALVAGE_CHARACTERS = 4000;

/** Maximum number of kept results, newest first: as many as a plan may have steps. */
const SALVAGE_MAX = 64;

/** Characters of all kept results together. */
const SALVAGE_CHARACTERS_MAX = 40_000;

const STEP_CHARACTERS = 256;

/** Characters of a tool's line. It says when to use the tool; the worker learns how. */
const TOOL_CHARACTERS = 200;

/** Characters of the agent's reason, or of a failed criterion. */
const REASON_CHARACTERS = 2048;

const ASSUMPTION_CHARACTERS = 512;

/** Characters of a blocked target, and number of named targets, newest first. All blocked targets are refused. */
const TARGET_CHARACTERS = 256;
const BLOCKED_MAX = 32;

/** Source: artoo A.4. */
const directives: Readonly<Record<PlanDirective['directive'], string>> = {
  Retry: 'Plan the same again: it failed by chance.',
  Refine: 'Keep the approach; make its parameters tighter.',
  ChangePath: 'Keep the kind of tool; aim it at something else.',
  ChangeApproach: 'Use a clearly different kind of tool.',
  BreakSymmetry: 'Use nothing that was used so far: find an approach of another kind.',
};

/** Source: artoo A.4. */
const causes: Readonly<Record<PlanDirective['failureClass'], string>> = {
  Logical: 'The approach was wrong: change the method, not its words.',
  Environmental: 'The world stood in the way: change the target, not the method.',
  Mixed: 'The world stood in the way and the approach was wrong: first clear the way, then rethink.',
};

export interface PlannerQuestion {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly task: BusPayload<'TaskSpec'>;
  /** The people's criteria. */
  readonly criteria: readonly BusCriterion[];
  /** See `constraintLines`. */
  readonly constraints: readonly ShownLine[];
  /** Tools that a step may use, with one line on each. */
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** Workers that may replace the executor on a step, and when to choose each. */
  readonly workers: readonly { readonly name: string; readonly purpose: string; readonly tools: readonly string[] }[];
  readonly subtasksMax: number;
  /** Directive after the last round; absent in the first. */
  readonly directive?: PlanDirective;
  /** What the last round tried; absent in the first. */
  readonly tried?: TriedRound;
  /** Why the last plan of this round was refused. */
  readonly refusal?: string;
}

export function assemblePlannerInput(question: PlannerQuestion): string {
  const { task, directive } = question;
  const isReworded = task.rawInput.trim() !== task.intent.trim();
  return joinSections([
    timeLines(question),
    textSection('Task', task.intent, INTENT_CHARACTERS),
    textSection('In the words of who asked', isReworded ? task.rawInput : '', INTENT_CHARACTERS),
    scopeSection(task.scope),
    listSection(
      'Taken for granted, since nobody said',
      task.assumptions.map((text) => indent(clipped(text, ASSUMPTION_CHARACTERS))),
    ),
    listSection('Criteria that people gave', criterionLines(question.criteria)),
    listSection('Constraints', [
      ...question.constraints.map(({ line, name }) => `${line} [${name}]`),
      ...blockedLines(directive),
    ]),
    listSection(
      'Tools',
      question.tools.map(({ name, description }) => `tool ${safeName(name)}: ${clipped(description, TOOL_CHARACTERS)}`),
    ),
    workerLines(question.workers),
    ...(directive === undefined ? [] : lastRoundSections(directive, question.tried)),
    listSection('Open parts', openPartLines(directive?.parts ?? [])),
    salvageLines(directive?.salvage ?? []),
    textSection('Your last plan was refused', question.refusal, REASON_CHARACTERS),
  ]);
}

function timeLines({ nowMs, task, subtasksMax }: PlannerQuestion): readonly string[] {
  return [
    `Today is ${utcDate(nowMs)} (UTC).`,
    ...(task.deadlineMs === undefined ? [] : [`The result is due at ${utcMinute(task.deadlineMs)}.`]),
    `A plan has at most ${subtasksMax} subtasks.`,
  ];
}

/** Empty if the executor does all work. */
function workerLines(workers: PlannerQuestion['workers']): readonly string[] {
  return listSection(
    'Workers; name one as <subtask sequence="1" worker="NAME">, or nobody for the executor, who has all tools',
    workers.map(
      ({ name, purpose, tools }) => `worker ${roleName(name)}: ${purpose}; has ${tools.map(safeName).join(', ')}`,
    ),
  );
}

/** They follow the constraints of memory. Source: artoo A.4 (priority of the MUST NOT set). */
function blockedLines(directive: PlanDirective | undefined): readonly string[] {
  const { tools, targets } = directive?.blocked ?? { tools: [], targets: [] };
  return [
    ...tools.map((tool) => `MUST NOT: use the tool ${quoted(tool)}, which is blocked`),
    ...targets
      .slice(-BLOCKED_MAX)
      .map((target) => `MUST NOT: use the target ${quoted(clipped(target, TARGET_CHARACTERS))}, which is blocked`),
  ];
}

function lastRoundSections(directive: PlanDirective, tried: TriedRound | undefined): readonly (readonly string[])[] {
  const lines = tried === undefined ? [] : triedLines(tried);
  return [directiveLines(directive, lines.length > 0), listSection('What the round before tried', lines)];
}

/** The rationale contains numbers of the control loop, so it is shown only if nothing else says what happened. */
function directiveLines(directive: PlanDirective, isTold: boolean): readonly string[] {
  const { failedCriterion } = directive;
  return [
    'The round before failed:',
    `directive ${directive.directive}: ${directives[directive.directive]}`,
    `cause ${directive.failureClass}: ${causes[directive.failureClass]}`,
    ...(failedCriterion.trim() === ''
      ? []
      : [`first criterion that failed: ${clipped(failedCriterion, REASON_CHARACTERS)}`]),
    ...(isTold ? [] : [`reason: ${clipped(directive.rationale, REASON_CHARACTERS)}`]),
  ];
}

function salvageLines(salvage: readonly Salvage[]): readonly string[] {
  const { kept, omission } = newestOnly(salvage, SALVAGE_MAX);
  const share = Math.min(SALVAGE_CHARACTERS, Math.floor(SALVAGE_CHARACTERS_MAX / Math.max(1, kept.length)));
  return listSection('Results of earlier rounds that are kept', [
    ...omission,
    ...kept.flatMap(({ round, intent, output }) => [
      `kept-result round=${round}: ${clipped(intent, STEP_CHARACTERS)}`,
      indentedWithin(output, share),
    ]),
  ]);
}
