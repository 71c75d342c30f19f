/** The result of a `run` as lines: what came of each Task, why, at what price, and where to look further. Pure. */
import {
  renderCost,
  renderCount,
  renderDuration,
  renderSize,
  type StoryLine,
  type Tone,
} from '@retainer/agent-pod/tell-records';
import type { TaskEnd } from './exit-codes.ts';
import type { TaskResult } from './run-task.ts';

const endTones = {
  Accepted: 'Good',
  Succeeded: 'Good',
  Abandoned: 'Warning',
  Refused: 'Bad',
  Cancelled: 'Warning',
  Failed: 'Bad',
  NotStarted: 'Warning',
} as const satisfies Record<TaskEnd, Tone>;

export interface ResultStyle {
  /** Columns of the terminal. */
  readonly columns: number;
  /** File of the CharacterSpec: where a refused Task's rule stands. */
  readonly characterFile: string;
}

export function renderResults(results: readonly TaskResult[], style: ResultStyle): readonly StoryLine[] {
  return results.flatMap((result) => [{ tone: 'Plain' as const, text: '' }, ...renderResult(result, style)]);
}

function renderResult(result: TaskResult, style: ResultStyle): readonly StoryLine[] {
  const { task, end, conclusion, why } = result;
  const head: StoryLine = {
    tone: endTones[end],
    text: `${end === 'NotStarted' ? 'NOT STARTED' : end.toUpperCase()}  ${task}${headFigures(result)}`,
  };
  if (conclusion === undefined) return [head, ...(why === undefined ? [] : wrap(why, '  ', style.columns))];
  const { summary, reasons, criteria, files } = conclusion;
  return [
    head,
    ...(summary.trim() === ''
      ? []
      : summary
          .trim()
          .split('\n')
          .flatMap((line) => wrap(line, '  ', style.columns))),
    ...reasons
      .filter((reason) => !summary.includes(reason))
      .flatMap((reason) => wrap(`because ${reason}`, '  ', style.columns)),
    ...(end === 'Refused' ? appeal(style) : []),
    ...criteria.flatMap((criterion) => criterionLines(result, criterion, style)),
    ...files.map((file) => quiet(`  file     workspace/${file.path} (${renderSize(file.sizeBytes)})`)),
  ];
}

function headFigures({ conclusion, isFromRecord }: TaskResult): string {
  if (conclusion === undefined) return '';
  const { usage, startedAtMs, endedAtMs, costUsd, isCostComplete } = conclusion;
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const earlier = isFromRecord ? ', finished earlier and not run again' : '';
  return `  ${renderDuration(endedAtMs - startedAtMs)}, ${renderCount(tokens)} tokens, ${renderCost(costUsd, isCostComplete)}${earlier}`;
}

/** A refusal is final for this Task; what a person can do about it. Source: platforms 5.2 (9). */
function appeal({ characterFile, columns }: ResultStyle): readonly StoryLine[] {
  const text =
    `to appeal: whoever answers for the character may change that rule in ${characterFile} and apply the Task under ` +
    'another name; "retainer replay RUN --character FILE" shows beforehand what the change would decide';
  return wrap(text, '  ', columns, 'Quiet');
}

type Criterion = NonNullable<TaskResult['conclusion']>['criteria'][number];

const criterionTones = { Met: 'Good', Unmet: 'Bad', Unverified: 'Warning' } as const satisfies Record<
  Criterion['verdict'],
  Tone
>;

function criterionLines({ runId = '' }: TaskResult, criterion: Criterion, style: ResultStyle): readonly StoryLine[] {
  const { verdict, text, evidence, reason, required } = criterion;
  const cited = evidence.map((id) => id.replace(`${runId}-`, '')).join(', ');
  const proof = verdict === 'Met' ? `evidence ${cited}` : reason;
  const [first, ...rest] = wrap(
    `${verdict.toLowerCase().padEnd(8)} ${text}${required ? '' : ' (optional)'}`,
    '  ',
    style.columns,
  );
  const tone = criterionTones[verdict];
  return [
    ...(first === undefined ? [] : [{ ...first, tone }]),
    ...rest,
    ...wrap(proof, ' '.repeat(11), style.columns, 'Quiet'),
  ];
}

/** Words onto lines of so many columns; the name of a rule stays beside its word. */
function wrap(text: string, indent: string, columns: number, tone: Tone = 'Plain'): readonly StoryLine[] {
  const width = Math.max(20, columns - indent.length);
  const lines: string[] = [];
  for (const word of text.split(/(?<!\(rule) /)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => ({ tone, text: `${indent}${line}` }));
}

function quiet(text: string): StoryLine {
  return { tone: 'Quiet', text };
}
