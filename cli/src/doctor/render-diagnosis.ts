/** Renders a diagnosis for people: one line for each check, the remedy below it, the sum last. Pure. */
import type { StoryLine, Tone } from '@retainer/mind/part/story';
import { CHECKS, countsOf, type Diagnosis, type Finding } from './checks.ts';
import type { Status } from './check-result.ts';

const TONES = { ok: 'Good', skip: 'Quiet', warn: 'Warning', fail: 'Bad' } as const satisfies Record<Status, Tone>;
const STATUS_WIDTH = 4;
const NAME_WIDTH = Math.max(...CHECKS.map(({ name }) => name.length));
const INDENT = ' '.repeat(STATUS_WIDTH + 2);

export function renderDiagnosis(diagnosis: Diagnosis): readonly StoryLine[] {
  return [...diagnosis.findings.flatMap(findingLines), plain(''), summary(diagnosis)];
}

function findingLines({ status, check, seen, details = [], fix = [] }: Finding): readonly StoryLine[] {
  return [
    { tone: TONES[status], text: `${status.padEnd(STATUS_WIDTH)}  ${check.padEnd(NAME_WIDTH)}  ${seen}` },
    ...details.map((line) => plain(`${INDENT}- ${line}`)),
    ...fix.map((line): StoryLine => ({ tone: 'Quiet', text: `${INDENT}> ${line}` })),
  ];
}

function summary(diagnosis: Diagnosis): StoryLine {
  const { ok, skip, warn, fail } = countsOf(diagnosis);
  const skipped = skip === 0 ? '' : `, ${skip} not checked`;
  const [worst] = diagnosis.findings.filter(({ status }) => status === 'fail');
  const text = {
    ok: `healthy: ${ok} checks passed${skipped}`,
    warn: `working, with ${warn} ${warn === 1 ? 'warning' : 'warnings'}: ${ok} passed${skipped}`,
    fail: `${fail} failed, ${warn} ${warn === 1 ? 'warning' : 'warnings'}, ${ok} passed${skipped}; begin with ${worst?.check ?? ''}`,
  }[diagnosis.status];
  return { tone: TONES[diagnosis.status], text };
}

function plain(text: string): StoryLine {
  return { tone: 'Plain', text };
}
