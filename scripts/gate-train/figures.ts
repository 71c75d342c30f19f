/** What rules and layer find, set by set, on texts that neither weights nor thresholds have seen. */
import { finished } from '@retainer/mind/gate/text/pace';
import { secondLine, type Detector } from '@retainer/mind/gate/detector/second-line';
import { screenText } from '@retainer/mind/gate/text/screen-text';
import type { Sample } from './sample.ts';

export interface Row {
  readonly set: string;
  readonly texts: number;
  /** Shares with an alarm, of the rules alone and with the layer. */
  readonly rules: number;
  readonly both: number;
  readonly blocked: number;
}

export function rowOf(set: string, samples: readonly Sample[], detector: Detector): Row {
  const found = samples.map(({ text }) => {
    const screening = screenText(text, 'Incoming');
    return { rules: screening.alarm, both: finished(secondLine(detector, text, screening)).alarm };
  });
  const share = (has: (it: (typeof found)[number]) => boolean): number =>
    found.filter(has).length / Math.max(1, found.length);
  return {
    set,
    texts: samples.length,
    rules: share(({ rules }) => rules !== 'None'),
    both: share(({ both }) => both !== 'None'),
    blocked: share(({ rules }) => rules === 'Block'),
  };
}

export function rowsOf(samples: readonly Sample[], detector: Detector): readonly Row[] {
  const sets = [...new Set(samples.map(({ set }) => set))].toSorted();
  return sets.map((set) =>
    rowOf(
      set,
      samples.filter((sample) => sample.set === set),
      detector,
    ),
  );
}

export function printRows(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}\n\n| set | texts | rules alone | blocked | with the layer |\n|---|---|---|---|---|`);
  for (const { set, texts, rules, blocked, both } of rows)
    console.log(`| ${set} | ${texts} | ${rules.toFixed(3)} | ${blocked.toFixed(3)} | ${both.toFixed(3)} |`);
}
