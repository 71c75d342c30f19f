/**
 * The entry point of the judge: a process that the auditor starts for one batch of records. It decides them again with the
 * agent's own pure deciders, and ends.
 *
 * Source: design 5.
 */
import { text } from 'node:stream/consumers';
import { parseJson } from '@retainer/contract/std/parse-json';
import { systemClock } from '@retainer/contract/std/system-clock';
import { runInputs } from '@retainer/mind/run/event';
import { exitCodes } from './audit/auditor-options.ts';
import { JudgeRequest, judgeRecords } from './audit/judge-records.ts';
import { readCharacters } from './audit/read-characters.ts';
import { isSaidOnce } from './loop/stores.ts';
import { RunCheck } from './review/run-check.ts';
import { VerdictCheck } from './review/verdict-check.ts';

async function main(): Promise<number> {
  const request = JudgeRequest.safeParse(parseJson(await text(process.stdin)));
  if (!request.success) return exitCodes.usage;
  const characters = await readCharacters(request.data.characterFiles);
  if (!characters.ok) {
    process.stderr.write(`${characters.error.join('\n')}\n`);
    return exitCodes.usage;
  }
  const answered = await judgeRecords(request.data, {
    clock: systemClock,
    makeVerdictRules: () => new VerdictCheck(characters.value),
    makeRunRules: (isTold) => new RunCheck(characters.value, isTold),
    isRunInput: (kind) => kind in runInputs,
    namesPlaces: isSaidOnce,
  });
  const answer = JSON.stringify(answered);
  process.stdout.write(answer);
  return exitCodes.fine;
}

process.exitCode = await main();
