/** Renders the result of a `run`: for each Task its outcome, the reason, the cost, and where to look further. Pure. */
import {
  renderCost,
  renderCount,
  renderDuration,
  renderPlural,
  renderSize,
  renderTwoDigits,
} from '@retainer/mind/explain/figures';
import type { StoryLine, Tone } from '@retainer/mind/part/story';
import { appealOf } from '@retainer/mind/gate/override';
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
  AwaitingApproval: 'Warning',
  AwaitingAnswer: 'Warning',
} as const satisfies Record<TaskEnd, Tone>;

const endWords: Partial<Record<TaskEnd, string>> = {
  NotStarted: 'NOT STARTED',
  AwaitingApproval: 'AWAITING APPROVAL',
  AwaitingAnswer: 'AWAITING ANSWER',
};

export interface ResultStyle {
  /** Columns of the terminal. */
  readonly columns: number;
  /** File of the CharacterSpec, which has the rule of a refused Task. */
  readonly characterFile: string;
}

export function renderResults(results: readonly TaskResult[], style: ResultStyle): readonly StoryLine[] {
  return results.flatMap((result) => [{ tone: 'Plain' as const, text: '' }, ...renderResult(result, style)]);
}

function renderResult(result: TaskResult, style: ResultStyle): readonly StoryLine[] {
  const { task, end, conclusion, why } = result;
  const head: StoryLine = {
    tone: endTones[end],
    text: `${endWords[end] ?? end.toUpperCase()}  ${task}${headFigures(result)}`,
  };
  if (conclusion === undefined)
    return [head, ...(why ?? '').split('\n').flatMap((it) => (it === '' ? [] : wrap(it, '  ', style.columns)))];
  const { criteria, files } = conclusion;
  return [
    head,
    ...answerTellers[conclusion.outcome](conclusion, style),
    ...(end === 'Refused' ? appeal(result, style) : []),
    ...criteria.flatMap((criterion) => criterionLines(result, criterion, style)),
    ...missingLines(conclusion, style),
    ...steeringLine(conclusion, style),
    ...files.map((file) => quiet(`  file     workspace/${file.path} (${renderSize(file.sizeBytes)})`)),
  ];
}

type Conclusion = NonNullable<TaskResult['conclusion']>;

function answerLines({ summary, reasons }: Conclusion, { columns }: ResultStyle): readonly StoryLine[] {
  return [
    ...textLines(summary, '  ', columns),
    ...reasons
      .filter((reason) => !summary.includes(reason))
      .flatMap((reason) => wrap(`because ${reason}`, '  ', columns)),
  ];
}

/** The person's reason comes before the work done so far. */
function stoppedLines({ summary, reasons }: Conclusion, { columns }: ResultStyle): readonly StoryLine[] {
  return [
    ...reasons.flatMap((reason) => wrap(`because ${reason}`, '  ', columns)),
    ...textLines(summary, '  ', columns),
  ];
}

/** The reason comes before the result, because the result is incomplete. */
function shortfall({ summary, reasons }: Conclusion, { columns }: ResultStyle): readonly StoryLine[] {
  const hasResult = saysMore(summary, reasons);
  return [
    ...reasons.flatMap((reason) => wrap(reason, '  ', columns)),
    quiet(hasResult ? '  partial result:' : '  nothing was finished'),
    ...(hasResult ? textLines(summary, '    ', columns) : []),
  ];
}

/** The rule's own words; a summary that repeats them is left out. */
function refusalLines({ summary, reasons }: Conclusion, { columns }: ResultStyle): readonly StoryLine[] {
  return [
    ...reasons.flatMap((reason) => wrap(`because ${reason}`, '  ', columns)),
    ...(saysMore(summary, reasons) ? textLines(summary, '  ', columns) : []),
  ];
}

function saysMore(summary: string, reasons: readonly string[]): boolean {
  return summary.trim() !== '' && !reasons.some((it) => it.startsWith(summary) || summary.includes(it));
}

/** The first lines, by outcome. */
const answerTellers = {
  Accepted: answerLines,
  Succeeded: answerLines,
  Refused: refusalLines,
  Cancelled: stoppedLines,
  Abandoned: shortfall,
  Failed: shortfall,
} as const satisfies Readonly<Record<Conclusion['outcome'], unknown>>;

/** Unmet criteria of subtasks, which the criteria above do not contain. */
function missingLines({ unmet, criteria }: Conclusion, { columns }: ResultStyle): readonly StoryLine[] {
  const told = new Set(criteria.map(({ text }) => text));
  return unmet.filter((it) => !told.has(it)).flatMap((it) => wrap(`missing  ${it}`, '  ', columns, 'Bad'));
}

function steeringLine({ directive, loss, replans }: Conclusion, { columns }: ResultStyle): readonly StoryLine[] {
  if (directive === undefined || loss === undefined) return [];
  const plans = replans === 0 ? 'no replan' : renderPlural(replans, 'replan');
  const terms = `D ${renderTwoDigits(loss.d)}, P ${renderTwoDigits(loss.p)}, Ω ${renderTwoDigits(loss.omega)}`;
  return wrap(`steered  ${directive}, ${plans}, loss ${renderTwoDigits(loss.l)} (${terms})`, '  ', columns, 'Quiet');
}

function textLines(text: string, indent: string, columns: number): readonly StoryLine[] {
  if (text.trim() === '') return [];
  return text
    .trim()
    .split('\n')
    .flatMap((line) => wrap(line, indent, columns));
}

function headFigures({ conclusion, isFromRecord }: TaskResult): string {
  if (conclusion === undefined) return '';
  const { usage, workedMs, costUsd, isCostComplete } = conclusion;
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const earlier = isFromRecord ? ', finished earlier, not run again' : '';
  return `  ${renderDuration(workedMs)}, ${renderCount(tokens)} tokens, ${renderCost(costUsd, isCostComplete)}${earlier}`;
}

/** A person's remedies: the refusal is final for this Task. Source: platforms 5. */
function appeal({ task, conclusion }: TaskResult, { characterFile, columns }: ResultStyle): readonly StoryLine[] {
  const refusal = conclusion?.refusal;
  const text =
    `to appeal: ${refusal === undefined ? '' : `${appealOf(refusal, task)} Or `}the owner of the character may change that rule in ${characterFile} and apply the Task under ` +
    'another name; "retainer replay RUN --character FILE" shows the effect of the change beforehand';
  return wrap(text, '  ', columns, 'Quiet');
}

type Criterion = NonNullable<TaskResult['conclusion']>['criteria'][number];

const criterionTones = { Met: 'Good', Unmet: 'Bad', Unverified: 'Warning' } as const satisfies Record<
  Criterion['verdict'],
  Tone
>;

/** Aligns with the text of a criterion, right of its verdict. */
const hanging = ' '.repeat(11);

const words = { Met: 'met', Unmet: 'unmet', Unverified: 'unproven' } as const satisfies Record<
  Criterion['verdict'],
  string
>;

/** `Unknown`: of a record older than the distinction. */
const proofs = {
  Shown: 'shown by',
  Judged: 'judged by the validator on',
  Unknown: 'evidence',
} as const satisfies Record<NonNullable<Criterion['basis']> | 'Unknown', string>;

function criterionLines({ runId = '' }: TaskResult, criterion: Criterion, style: ResultStyle): readonly StoryLine[] {
  const { verdict, text, evidence, reason, required, failureClass, basis, untrusted } = criterion;
  const cited = evidence.map((id) => id.replace(`${runId}-`, '')).join(', ');
  const proof =
    verdict === 'Met'
      ? `${proofs[basis ?? 'Unknown']} ${cited}${untrusted === true ? ', on untrusted data' : ''}`
      : `${reason}${failureClass === undefined ? '' : ` (${failureClass})`}`;
  const claim = wrap(`${text}${required ? '' : ' (optional)'}`, hanging, style.columns);
  const [first, ...rest] = claim;
  const tone = criterionTones[verdict];
  return [
    { tone, text: `  ${words[verdict].padEnd(8)} ${first?.text.trimStart() ?? ''}` },
    ...rest,
    ...wrap(proof, hanging, style.columns, 'Quiet'),
  ];
}

/** Breaks lines between words, but never between `(rule)` and the name that follows. */
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
