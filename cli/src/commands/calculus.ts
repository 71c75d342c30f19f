/** `retainer calculus`: the table of norms, one pair, and the norms of a character against forecasts. Reads only. */
import { readFile, stat } from 'node:fs/promises';
import { levelOrdinal, levelsOf, type LevelSchemeName } from '@retainer/contract/api/levels';
import { MANIFEST_TEXT_LENGTH_MAX } from '@retainer/contract/manifest/yaml-source';
import { renderManifestError } from '@retainer/contract/manifest/manifest-error';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { parseForecasts } from '../calculus/forecast-file.ts';
import { tryNorms, tryPair } from '../calculus/try-norms.ts';
import { FLOORS, GATE_VERDICTS, type NormativeVerdict } from '@retainer/mind/gate/calculus/floors';
import { parseNorm, renderNorm, type Norm } from '@retainer/mind/gate/calculus/norm';
import { PAIR_RULES } from '@retainer/mind/gate/calculus/pair-rules';
import { pairTable } from '@retainer/mind/gate/calculus/pair-table';
import { renderPairTable } from '../calculus/render-pair-table.ts';
import { renderPairTrial } from '../calculus/render-pair-trial.ts';
import { renderNormTrial } from '../calculus/render-norm-trial.ts';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type OutputFormat } from '../output.ts';
import { readCharacter } from '../read-character.ts';
import { refuse } from '../refuse.ts';

interface TableFlags {
  readonly scheme: LevelSchemeName;
  readonly output: OutputFormat;
}

export function tableCommand({ scheme, output: format }: TableFlags): number {
  const output = createOutput(format, readEnvironment().colour);
  const table = pairTable(scheme);
  output.lines(renderPairTable(table, scheme));
  const texts = table.norms.map(renderNorm);
  output.data({
    scheme,
    levels: levelsOf(scheme).map((level) => ({ level, ordinal: levelOrdinal(scheme, level) })),
    rules: PAIR_RULES.map(({ id, when, severity, outcome }, at) => {
      return { id, when, severity, outcome, pairs: table.byRule[at]?.pairs };
    }),
    severities: table.bySeverity,
    floors: FLOORS.map(({ id, when, verdict }) => ({ id, when, verdict, gateVerdict: GATE_VERDICTS[verdict] })),
    pairs: table.rows.flatMap((row, user) =>
      row.map((rule, system) => ({ user: texts[user], system: texts[system], rule: rule.id })),
    ),
  });
  return exitCodes.done;
}

export function pairCommand(userText: string, systemText: string, { scheme, output: format }: TableFlags): number {
  const output = createOutput(format, readEnvironment().colour);
  const user = parseNorm(scheme, userText);
  const system = parseNorm(scheme, systemText);
  if (!user.ok || !system.ok) return refuse(output, [...faultsOf('<user>', user), ...faultsOf('<system>', system)]);
  const trial = tryPair(scheme, user.value, system.value);
  const { fired, asked, floor } = trial;
  output.lines(renderPairTrial(user.value, system.value, trial));
  output.data({
    scheme,
    user: user.value,
    system: system.value,
    asked: asked.map(({ id }) => id),
    rule: fired.id,
    severity: fired.severity,
    outcome: fired.outcome,
    floorAlone: { id: floor.id, verdict: floor.verdict, gateVerdict: GATE_VERDICTS[floor.verdict] },
  });
  return exitCodes.done;
}

export async function judgeCommand(
  characterFile: string,
  forecastFile: string,
  flags: { readonly output: OutputFormat },
): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const character = await readCharacter(characterFile);
  if (!character.ok) return refuse(output, character.error);
  const text = await readForecastText(forecastFile);
  if (!text.ok) return refuse(output, [text.error]);
  const forecasts = parseForecasts(text.value, forecastFile, character.value.spec);
  if (!forecasts.ok) return refuse(output, forecasts.error.map(renderManifestError));
  const { gate, agent } = forecasts.value;
  const trial = tryNorms(character.value, forecasts.value);
  const { name } = character.value.metadata;
  output.lines(renderNormTrial(trial, { character: name, gate, agent }));
  output.data({ character: name, gate, agent, ...trial });
  return worst(trial.judged.map((it) => it.judgement.verdict));
}

const verdictCodes: Readonly<Record<NormativeVerdict, number>> = {
  Flourishing: exitCodes.done,
  Constrained: exitCodes.unfinished,
  Prohibited: exitCodes.refused,
};

/** The codes rise with the verdicts. */
function worst(verdicts: readonly NormativeVerdict[]): number {
  return Math.max(...verdicts.map((verdict) => verdictCodes[verdict]));
}

async function readForecastText(file: string): Promise<Result<string, string>> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true)
    return err(`${file}: found ${found === undefined ? 'nothing' : 'no file'}; allowed: a forecast file`);
  if (found.size > MANIFEST_TEXT_LENGTH_MAX)
    return err(`${file}: found ${found.size} bytes; allowed: at most ${MANIFEST_TEXT_LENGTH_MAX}`);
  return ok(await readFile(file, 'utf8'));
}

function faultsOf(argument: string, parsed: Result<Norm, readonly string[]>): readonly string[] {
  return parsed.ok ? [] : parsed.error.map((fault) => `${argument} ${fault}`);
}
