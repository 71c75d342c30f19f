/** What a gate said to one input, for people. */
import type { Check, CheckFinding } from '@retainer/agent-pod/check-gate';
import type { StoryLine, Tone } from '@retainer/agent-pod/tell-records';

/** Said wherever a score would stand: no number is better than one that nobody measured. */
export const NO_SCORE = 'not computed: this command asks the deterministic rules only, no model';

const tones: Readonly<Record<Check['alarm'], Tone>> = { None: 'Good', Escalate: 'Warning', Block: 'Bad' };

/** One input on its own. */
export function renderCheck(check: Check): readonly StoryLine[] {
  const { verdict, rule, reason, alarm, points, findings } = check;
  return [
    { text: `verdict  ${verdict} by ${rule}: ${reason}`, tone: tones[alarm] },
    { text: `alarm    ${alarm}, ${points} points of the shipped rules`, tone: 'Plain' },
    { text: `score    ${NO_SCORE}`, tone: 'Quiet' },
    ...findings.map((finding) => ({ text: `rule     ${findingText(finding)}`, tone: 'Plain' as const })),
  ];
}

/** One of many, on one line. */
export function renderCheckLine(name: string, { verdict, alarm, points, findings }: Check): StoryLine {
  const found = findings.map(findingText).join(', ');
  const text = `${name.padEnd(6)} ${verdict.padEnd(8)} ${alarm.padEnd(8)} ${String(points).padStart(2)}  ${found}`;
  return { text: text.trimEnd(), tone: tones[alarm] };
}

function findingText({ rule, at, start, end }: CheckFinding): string {
  return `${rule} ${at === undefined ? '' : `${at} `}${start}-${end}`;
}
