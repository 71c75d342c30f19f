/** Renders a gate's verdict on one input, for people. */
import type { CheckFinding, TriedCheck } from '@retainer/agent-pod/review/check-gate';
import type { StoryLine, Tone } from '@retainer/mind/part/story';

/** Replaces every score: no number is better than an invented one. */
const NO_SCORE = 'not computed: this command uses deterministic rules only, no model';

export function noScore({ wouldAsk }: Pick<TriedCheck, 'wouldAsk'>): string {
  return wouldAsk.includes('Score') ? `${NO_SCORE}; an agent would ask its model for a score here` : NO_SCORE;
}

const tones: Readonly<Record<TriedCheck['alarm'], Tone>> = { None: 'Good', Escalate: 'Warning', Block: 'Bad' };

/** One input on its own. */
export function renderCheck(check: TriedCheck): readonly StoryLine[] {
  const { verdict, rule, reason, alarm, points, findings } = check;
  return [
    { text: `verdict  ${verdict} by ${rule}: ${reason}`, tone: tones[alarm] },
    { text: `alarm    ${alarm}, ${points} points of the shipped rules`, tone: 'Plain' },
    { text: `score    ${noScore(check)}`, tone: 'Quiet' },
    ...findings.map((finding) => ({ text: `rule     ${findingText(finding)}`, tone: 'Plain' as const })),
  ];
}

/** One of many inputs, on one line. */
export function renderCheckLine(name: string, { verdict, alarm, points, findings }: TriedCheck): StoryLine {
  const found = findings.map(findingText).join(', ');
  const text = `${name.padEnd(6)} ${verdict.padEnd(8)} ${alarm.padEnd(8)} ${String(points).padStart(2)}  ${found}`;
  return { text: text.trimEnd(), tone: tones[alarm] };
}

function findingText({ rule, at, start, end }: CheckFinding): string {
  return `${rule} ${at === undefined ? '' : `${at} `}${start}-${end}`;
}
