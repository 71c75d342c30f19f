/** Renders a told run as lines of text, each with a tone. The caller chooses the colours. */
import { isReached } from '@retainer/contract/api/task-status';
import { beyond, says } from '@retainer/contract/std/said-once';
import { renderCost, renderCount, renderDuration, renderElapsed, renderPlural, shortDigest } from './figures.ts';
import { renderRounds } from './rounds.ts';
import { shownAddress } from '../gate/provenance/mail-address.ts';
import type { StoryLine, StoryStep } from '../part/story.ts';
import type { RunStory } from './tell-run.ts';

export interface StoryStyle {
  /** Whole prompts, arguments, outputs and replies. */
  readonly full: boolean;
  /** A moment as people read it. */
  readonly instant: (atMs: number) => string;
  /** What stands below the head: of a run that a job made, who made that. */
  readonly about?: readonly StoryLine[];
}

/** Columns before a step's text: elapsed time, actor. */
const ACTOR_COLUMNS = 14;
const detailIndent = ' '.repeat(25);

export function renderStory(story: RunStory, style: StoryStyle): readonly StoryLine[] {
  return [
    { tone: 'Plain', text: `Run ${story.runId}: ${causeText(story, style)}` },
    {
      tone: 'Quiet',
      text: `started ${style.instant(story.startedAtMs)}, ${renderPlural(new Set(story.steps.map((it) => it.order)).size, 'record')}, character ${shortDigest(story.characterDigest)}`,
    },
    ...(style.about ?? []),
    ...restartLine(story),
    { tone: 'Plain', text: '' },
    ...renderSteps(withoutConclusion(story), story.startedAtMs, style),
    { tone: 'Plain', text: '' },
    ...roundsSection(story),
    ...conclusionLines(story),
  ];
}

function causeText({ cause, task }: RunStory, { instant }: StoryStyle): string {
  if (cause.kind === 'Task') return `Task ${task.namespace}/${task.name}`;
  if (cause.kind === 'Mail') return `letter ${cause.letterId} of ${shownAddress(cause.from)}`;
  return `job ${cause.jobId}, for its moment ${instant(cause.momentMs)}`;
}

/** @param steps  oldest first @param startedAtMs  from which the time of each is counted */
export function renderSteps(steps: readonly StoryStep[], startedAtMs: number, style: StoryStyle): readonly StoryLine[] {
  return steps.flatMap((step, index) => [
    ...restartMark(steps[index - 1], step),
    ...stepLines(startedAtMs, step, style),
  ]);
}

function roundsSection({ rounds }: RunStory): readonly StoryLine[] {
  return rounds.length === 0 ? [] : [...renderRounds(rounds), { tone: 'Plain', text: '' }];
}

/** One step as one line, without its details: the view of a running run. */
export function renderStep(step: StoryStep, startedAtMs: number): StoryLine {
  const elapsed = renderElapsed(step.atMs - startedAtMs);
  return { tone: step.tone, text: `${elapsed.padStart(8)}  ${step.actor.padEnd(ACTOR_COLUMNS)} ${step.text}` };
}

function restartLine({ epochs }: RunStory): readonly StoryLine[] {
  if (epochs.length < 2) return [];
  return [
    {
      tone: 'Warning',
      text: `taken up after ${renderPlural(epochs.length - 1, 'restart')} (writers ${epochs.join(', ')})`,
    },
  ];
}

function restartMark(before: StoryStep | undefined, step: StoryStep): readonly StoryLine[] {
  if (before === undefined || before.epoch === step.epoch) return [];
  return [
    {
      tone: 'Warning',
      text: `${' '.repeat(8)}  ---------- restart: writer ${step.epoch} takes up what writer ${before.epoch} left`,
    },
  ];
}

function stepLines(startedAtMs: number, step: StoryStep, style: StoryStyle): readonly StoryLine[] {
  const texts = style.full ? step.texts.filter(({ text }) => text.trim() !== '') : [];
  const { tone, text } = renderStep(step, startedAtMs);
  return [
    { tone, text: `${text}  (${step.store}/${step.seq})` },
    ...step.details.map((detail) => ({ tone: 'Quiet' as const, text: `${detailIndent}${detail}` })),
    ...texts.flatMap(({ title, text }) => [
      { tone: 'Quiet' as const, text: `${detailIndent}${title}:` },
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => ({ tone: 'Plain' as const, text: `${detailIndent}| ${line}` })),
    ]),
  ];
}

/** At the end of a detail that is the beginning of a longer text. */
const CUT = ' …';

/** The last of the deciders whose runs are told in the words of their time. */
const LAST_TOLD_AS_THEN = 1;

/** What the conclusion says at the end, no step of the run says before. */
function withoutConclusion({ steps, conclusion, deciders }: RunStory): readonly StoryStep[] {
  if (conclusion === undefined || deciders <= LAST_TOLD_AS_THEN) return steps;
  const { reasons } = conclusion;
  const isSaid = (detail: string): boolean =>
    reasons.some((it) => (detail.endsWith(CUT) ? it.startsWith(detail.slice(0, -CUT.length)) : says(it, detail)));
  return steps.map((step) =>
    step.store === 'run' ? { ...step, details: step.details.filter((it) => !isSaid(it)) } : step,
  );
}

function conclusionLines({ conclusion, isClosed, deciders }: RunStory): readonly StoryLine[] {
  if (conclusion === undefined) return [{ tone: 'Warning', text: 'Running: the record has no conclusion yet.' }];
  const { usage, summary, reasons } = conclusion;
  const rest = deciders <= LAST_TOLD_AS_THEN ? summary.trim() : beyond(summary, reasons);
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return [
    {
      tone: isReached(conclusion.outcome) ? 'Good' : 'Bad',
      text: `Outcome: ${conclusion.outcome}`,
    },
    ...reasons.map((reason) => ({ tone: 'Plain' as const, text: `  because ${reason}` })),
    {
      tone: 'Quiet',
      text:
        `  ${renderDuration(conclusion.workedMs)}, ${renderCount(tokens)} tokens ` +
        `(${renderCount(usage.inputTokens)} in, ${renderCount(usage.outputTokens)} out), ${renderCost(conclusion.costUsd, conclusion.isCostComplete)}`,
    },
    ...(rest === '' ? [] : rest.split('\n').map((line) => ({ tone: 'Plain' as const, text: `  ${line}` }))),
    ...(isClosed
      ? []
      : [{ tone: 'Warning' as const, text: '  Not closed yet: the reply or the entry in the narrative is missing.' }]),
  ];
}
