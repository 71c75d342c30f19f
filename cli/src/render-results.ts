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
import { NOT_JUDGED } from '@retainer/mind/run/steer/ended';
import { beyond, referringTo, says } from '@retainer/contract/std/said-once';
import { appealOf } from '@retainer/mind/gate/override';
import type { TaskEnd } from './exit-codes.ts';
import { lackingCriteria, type TaskResult } from './run-task.ts';

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
    tone: lackingCriteria(result).length > 0 ? 'Warning' : endTones[end],
    text: `${endWords[end] ?? end.toUpperCase()}  ${task}${headFigures(result)}`,
  };
  if (conclusion === undefined)
    return [head, ...(why ?? '').split('\n').flatMap((it) => (it === '' ? [] : wrap(it, '  ', style.columns)))];
  const { files } = conclusion;
  return [
    head,
    ...answerTellers[conclusion.outcome](conclusion, style),
    ...(end === 'Refused' ? appeal(result, style) : []),
    ...lackingLine(result, style),
    ...withoutRepetitions(conclusion).flatMap((criterion) => criterionLines(result, criterion, style)),
    ...missingLines(conclusion, style),
    ...steeringLine(conclusion, style),
    ...files.map((file) => quiet(`  file     workspace/${file.path} (${renderSize(file.sizeBytes)})`)),
  ];
}

type Conclusion = NonNullable<TaskResult['conclusion']>;

function answerLines({ summary, reasons }: Conclusion, { columns }: ResultStyle): readonly StoryLine[] {
  return [
    ...textLines(summary, '  ', columns),
    ...reasons.filter((reason) => !says(summary, reason)).flatMap((reason) => wrap(`because ${reason}`, '  ', columns)),
  ];
}

/** The reason of a person, or the words of a rule, come before the work done so far. */
function stoppedLines({ summary, reasons }: Conclusion, { columns }: ResultStyle): readonly StoryLine[] {
  return [
    ...reasons.flatMap((reason) => wrap(`because ${reason}`, '  ', columns)),
    ...textLines(beyond(summary, reasons), '  ', columns),
  ];
}

/** The reason comes before the result, because the result is incomplete. Without a result, the summary begins with the reason. */
function shortfall({ summary, reasons }: Conclusion, { columns }: ResultStyle): readonly StoryLine[] {
  const rest = beyond(summary, reasons);
  const hasResult = rest !== '' && rest === summary.trim();
  return [
    ...reasons.flatMap((reason) => wrap(reason, '  ', columns)),
    quiet(hasResult ? '  partial result:' : '  nothing was finished'),
    ...textLines(rest, hasResult ? '    ' : '  ', columns),
  ];
}

/** The first lines, by outcome. */
const answerTellers = {
  Accepted: answerLines,
  Succeeded: answerLines,
  Refused: stoppedLines,
  Cancelled: stoppedLines,
  Abandoned: shortfall,
  Failed: shortfall,
} as const satisfies Readonly<Record<Conclusion['outcome'], unknown>>;

/** Unmet criteria of subtasks, which neither the criteria nor the reasons above contain. */
function missingLines({ unmet, criteria, reasons }: Conclusion, { columns }: ResultStyle): readonly StoryLine[] {
  const told = new Set(criteria.map(({ text }) => text));
  return unmet
    .filter((it) => !told.has(it) && !reasons.some((reason) => says(reason, it)))
    .flatMap((it) => wrap(`missing  ${it}`, '  ', columns, 'Bad'));
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

/** A result that is good enough is not what was required. */
function lackingLine(result: TaskResult, { columns }: ResultStyle): readonly StoryLine[] {
  const lacking = lackingCriteria(result).length;
  if (lacking === 0) return [];
  const required = result.conclusion?.criteria.filter((it) => it.required).length ?? 0;
  const text = `good enough within its limits, but ${lacking} of ${renderPlural(required, 'required criterion', 'required criteria')} not met`;
  return wrap(text, '  ', columns, 'Warning');
}

type Criterion = NonNullable<TaskResult['conclusion']>['criteria'][number];

/** What the reasons or an earlier criterion say is left out: without a judgement, only that there is none is said again. */
function withoutRepetitions({ criteria, reasons }: Conclusion): readonly Criterion[] {
  return criteria.map((criterion, at) => {
    const { reason } = criterion;
    const before = [...reasons, ...criteria.slice(0, at).map((it) => it.reason)];
    const isUnjudged = reason.startsWith(NOT_JUDGED);
    const left = referringTo(before, isUnjudged ? reason.slice(NOT_JUDGED.length) : reason);
    if (isUnjudged) return reason.endsWith(left) ? criterion : { ...criterion, reason: NOT_JUDGED.replace(/: $/, '') };
    return before.some((it) => says(it, reason)) ? { ...criterion, reason: '' } : criterion;
  });
}

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
      : `${reason}${failureClass === undefined ? '' : ` (${failureClass})`}`.trimStart();
  const claim = wrap(`${text}${required ? '' : ' (optional)'}`, hanging, style.columns);
  const [first, ...rest] = claim;
  const tone = criterionTones[verdict];
  return [
    { tone, text: `  ${words[verdict].padEnd(8)} ${first?.text.trimStart() ?? ''}` },
    ...rest,
    ...(proof === '' ? [] : wrap(proof, hanging, style.columns, 'Quiet')),
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
