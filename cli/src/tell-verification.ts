/** What a verification found, for people and for programs. */
import { openJournalRecords } from '@retainer/agent-pod/review/run-records';
import { checkVerdicts, type CheckedVerdicts } from '@retainer/agent-pod/review/verdict-check';
import { renderCount, renderPlural, renderSize } from '@retainer/mind/explain/figures';
import { readEnvironment } from './config.ts';
import { exitCodes } from './exit-codes.ts';
import type { Output } from './output.ts';
import { findingOf, isSound, renderFault, renderGap, type Finding, type Verification } from './verify-record.ts';

export interface ToldPlace {
  /** Where people find what is named, if it was verified elsewhere. Default: the directory. */
  readonly place?: string;
  /** What to do where it is damaged. Default: a repair. */
  readonly advice?: string;
  /** Further members for programs. */
  readonly data?: object;
}

/** Hexadecimal digits of a hash that people compare by eye. */
const HASH_DIGITS = 12;

/** Faults in the output for people; `-o json` has more. */
export const FAULTS_SHOWN = 20;

const noVerdicts: CheckedVerdicts = { verdicts: 0, findings: [], otherRules: [], otherRulesCycles: 0 };

/** Prints what a verification of a whole record found, its verdicts decided again. @returns the exit code */
export async function tellVerification(
  output: Output,
  verification: Verification,
  told: ToldPlace = {},
): Promise<number> {
  const { place = verification.directory, advice = repairAdvice(place), data } = told;
  const { directory, stores, faults, records, bytes, durationMs } = verification;
  const isWhole = isSound(verification);
  // Verdicts can be checked only in a whole record.
  const checked = isWhole ? await checkVerdicts(await openJournalRecords(directory)) : noVerdicts;
  const finding = findingOf(verification);
  const sound = isWhole && checked.findings.length === 0;
  const code = isWhole && !sound ? exitCodes.record : (finding?.code ?? exitCodes.done);
  output.data({ ...verification, directory: place, ...data, ...checked, isSound: sound, exitCode: code });
  tellStores(output, stores);
  tellFaults(output, faults, place);
  const speed = `${(bytes / 1_000_000 / Math.max(durationMs / 1000, 1e-6)).toFixed(0)} MB/s`;
  output.line(
    `${renderPlural(records, 'record')} in ${renderPlural(stores.length, 'store')}, ${renderSize(bytes)} in ${durationMs.toFixed(0)} ms (${speed})`,
    'Quiet',
  );
  for (const { kind, store, seq, detail } of checked.findings.slice(0, FAULTS_SHOWN))
    output.line(`${place}/${store}: store ${store}, sequence ${seq}: ${kind}: ${detail}`, 'Bad');
  tellOtherRules(output, checked);
  for (const gap of verification.gaps) output.line(renderGap(gap), 'Warning');
  tellEnd(output, { advice, isWhole, finding, checked });
  return code;
}

function tellFaults(output: Output, faults: Verification['faults'], place: string): void {
  for (const fault of faults.slice(0, FAULTS_SHOWN)) output.line(renderFault(fault, place), 'Bad');
  if (faults.length > FAULTS_SHOWN) output.line(`… and ${renderCount(faults.length - FAULTS_SHOWN)} more`, 'Bad');
}

interface VerifyEnd {
  readonly advice: string;
  readonly isWhole: boolean;
  readonly finding: Finding | undefined;
  readonly checked: CheckedVerdicts;
}

function tellEnd(output: Output, { advice, isWhole, finding, checked }: VerifyEnd): void {
  const anew = `${renderPlural(checked.verdicts, 'verdict')} of gates recomputed`;
  const wrong = checked.findings.length;
  if (!isWhole) output.line(`${finding?.text}; ${advice}`, 'Bad');
  else if (wrong > 0)
    output.line(
      `${renderPlural(wrong, 'finding')}; ${anew}, equal to the record. Verify records of another program version with that version`,
      'Bad',
    );
  else if (finding !== undefined)
    output.line(`${finding.text}; every record that is there is unchanged; ${anew}`, 'Warning');
  else output.line(`verified: every record, link, segment and blob is unchanged; ${anew}`, 'Good');
}

function tellOtherRules(output: Output, { otherRules, otherRulesCycles }: CheckedVerdicts): void {
  for (const { seq, detail } of otherRules) output.line(`store cycle, sequence ${seq}: ${detail}`, 'Warning');
  if (otherRulesCycles > 0)
    output.line(
      `${renderPlural(otherRulesCycles, 'cycle')} recorded under another version of the gate rules; this version decides them differently, so they were not judged. Verify with the version that wrote them`,
      'Warning',
    );
}

function tellStores(output: Output, stores: Verification['stores']): void {
  const width = Math.max(...stores.map((it) => it.store.length), 5);
  for (const { store, records: count, bytes: size, head, faults: found } of stores) {
    const end = head === undefined ? 'empty' : `head ${head.seq} ${head.hash.slice(0, HASH_DIGITS)}`;
    const state = found === 0 ? 'whole' : renderPlural(found, 'fault');
    output.line(
      `${store.padEnd(width)}  ${renderPlural(count, 'record').padEnd(16)} ${renderSize(size).padEnd(10)} ${end}  ${state}`,
      found === 0 ? 'Plain' : 'Bad',
    );
  }
}

function repairAdvice(directory: string): string {
  return `show what a repair would keep: ${nextCommand('repair', directory)}`;
}

/** As the person can type it, who may be at another machine. */
export function nextCommand(name: 'verify' | 'repair', directory: string): string {
  const { program, options } = readEnvironment().caller;
  return options === undefined ? `npx retainer journal ${name} ${directory}` : `${program} journal ${name} ${options}`;
}
