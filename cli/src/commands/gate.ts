/** `retainer gate check`: tries texts and calls on the deterministic rules of a character's gate. Reads only. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { tryGate, type TriedCheck, type GateTrial } from '@retainer/agent-pod/review/check-gate';
import { renderPlural } from '@retainer/mind/explain/figures';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { decodeText } from '../gate/decode-text.ts';
import { parseInputs, type GateInput, type Inputs } from '../gate/parse-inputs.ts';
import { noScore, renderCheck, renderCheckLine } from '../gate/render-check.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { readCharacter } from '../read-character.ts';
import { refuse } from '../refuse.ts';

export interface GateFlags {
  readonly stdin?: true;
  readonly gate: 'input' | 'tool' | 'output';
  readonly autonomous?: true;
  readonly character?: string;
  readonly output: OutputFormat;
}

const LINES_FILE = /\.(?:jsonl|ndjson)$/i;

/** Bytes of input: enough for a hundred thousand mails. */
const INPUT_BYTES_MAX = 256 * 1024 * 1024;

export async function checkCommand(file: string | undefined, flags: GateFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  if ((file === undefined) !== (flags.stdin === true)) return refuse(output, ['give either a file or --stdin']);
  const trial = await openTrial(flags.character);
  if (!trial.ok) return refuse(output, trial.error);
  const read = await readInputs(file);
  if (!read.ok) return refuse(output, [read.error]);
  const { isLines, inputs } = read.value;
  const tally: Record<string, number> = {};
  for (const { line, input } of inputs) {
    const check = input.ok ? checkInput(trial.value, input.value, flags) : input;
    const end = check.ok ? check.value.alarm : 'Wrong';
    tally[end] = (tally[end] ?? 0) + 1;
    tell(output, { line, isLines, id: input.ok ? input.value.id : undefined, check, flags });
  }
  if (isLines) output.note(sumText(inputs.length, tally));
  return tally['Wrong'] === undefined ? exitCodes.done : exitCodes.usage;
}

async function openTrial(file: string | undefined): Promise<Result<GateTrial, readonly string[]>> {
  if (file === undefined) return tryGate(undefined);
  const character = await readCharacter(file);
  return character.ok ? tryGate(character.value) : character;
}

async function readInputs(file: string | undefined): Promise<Result<Inputs, string>> {
  const source = await (file === undefined ? readSource(process.stdin) : readFile(file));
  return source.ok ? ok(parseInputs(source.value, file !== undefined && LINES_FILE.test(file))) : source;
}

async function readFile(file: string): Promise<Result<string, string>> {
  try {
    const source = await readSource(createReadStream(file));
    return source.ok ? source : err(`${file}: ${source.error}`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return err(`${file}: no such file`);
    return err(code === 'EISDIR' ? `${file}: is a directory; give a file` : `${file}: ${message}`);
  }
}

async function readSource(stream: Readable): Promise<Result<string, string>> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream) {
    const bytes = chunk as Buffer;
    sizeBytes += bytes.length;
    if (sizeBytes > INPUT_BYTES_MAX) return err(`the input is longer than ${INPUT_BYTES_MAX} bytes; give it in parts`);
    chunks.push(bytes);
  }
  return decodeText(Buffer.concat(chunks));
}

function checkInput(trial: GateTrial, input: GateInput, { gate, autonomous }: GateFlags): Result<TriedCheck, string> {
  const isAutonomous = autonomous === true;
  if (input.kind === 'Call') {
    return gate === 'tool'
      ? trial.call(input.call, isAutonomous)
      : err(`tool: only the tool gate takes a call; use --gate tool`);
  }
  if (gate === 'tool') return err('text: the tool gate takes calls: {"tool": "…", "input": {…}}');
  return ok(trial.text(gate === 'input' ? 'Input' : 'Output', input.text, isAutonomous));
}

interface Told {
  readonly line: number;
  readonly isLines: boolean;
  readonly id: string | undefined;
  readonly check: Result<TriedCheck, string>;
  readonly flags: GateFlags;
}

function tell(output: Output, { line, isLines, id, check, flags }: Told): void {
  const name = id === undefined ? {} : { id };
  const place = isLines ? { line, ...name } : {};
  if (!check.ok) {
    output.error(`line ${line}: ${check.error}`);
    output.dataLine({ ...place, error: check.error });
    return;
  }
  const { gate, autonomous = false } = flags;
  const row = { ...place, gate, autonomous, ...check.value, score: null, scoreReason: noScore(check.value) };
  if (isLines) {
    output.lines([renderCheckLine(id ?? String(line), check.value)]);
    output.dataLine(row);
  } else {
    output.lines(renderCheck(check.value));
    output.data(row);
  }
}

function sumText(count: number, tally: Readonly<Record<string, number>>): string {
  const sums = ['Block', 'Escalate', 'None', 'Wrong'].flatMap((end) => {
    const found = tally[end];
    return found === undefined ? [] : [`${found} ${end}`];
  });
  return `${renderPlural(count, 'input')}: ${sums.join(', ')}`;
}
