/** A claimant that does everything right, one request after the other. */
import { FrameDecoder, frameHeaderBytes } from '../../contract/src/wire/frames.ts';
import type { FrameHeader, RunEvent, RunRequest } from '../../contract/src/wire/runner.ts';
import { sha256Hex } from '../../contract/src/std/hash.ts';
import { send, type KeyPair, type RawAnswer, type RawRequest } from './signed-runner-request.ts';

export interface ReceivedFrame {
  readonly header: FrameHeader;
  readonly content: string;
}

export class RunnerClaimant {
  readonly port: number;
  readonly key: KeyPair;
  #sequence = 0;

  constructor(port: number, key: KeyPair) {
    this.port = port;
    this.key = key;
  }

  get nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  send(path: string, request: Partial<RawRequest> = {}): Promise<RawAnswer> {
    return send({ port: this.port, key: this.key, sequence: this.nextSequence, path, ...request });
  }

  files(files: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    return this.send('/files', { body: archive(files) });
  }

  run(script: string, options: RunOptions = {}): Promise<RawAnswer> {
    return this.send('/run', { body: JSON.stringify(runRequest(script, options)) });
  }

  async output(from = 0): Promise<readonly RunEvent[]> {
    const answer = await this.send(`/output?from=${from}`, { method: 'GET' });
    return eventsOf(answer.body);
  }

  async changes(): Promise<readonly ReceivedFrame[] | string> {
    const answer = await this.send('/files', { method: 'GET' });
    return answer.status === 200 ? framesOf(answer.body) : answer.reason;
  }

  /** Files, run, and everything that was said. */
  async whole(
    script: string,
    options: RunOptions & { readonly files?: Readonly<Record<string, string>> } = {},
  ): Promise<WholeRun> {
    await this.files(options.files);
    const started = await this.run(script, options);
    if (started.status !== 202) throw new Error(`the run was refused: ${started.body.toString()}`);
    return wholeRun(await this.output());
  }
}

export interface WholeRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: RunEvent & { type: 'Ended' };
  readonly events: readonly RunEvent[];
}

export function wholeRun(events: readonly RunEvent[]): WholeRun {
  const text = (stream: string): string =>
    Buffer.concat(
      events.flatMap((event) =>
        event.type === 'Output' && event.stream === stream ? [Buffer.from(event.base64, 'base64')] : [],
      ),
    ).toString('utf8');
  const ended = events.at(-1);
  if (ended?.type !== 'Ended') throw new Error('the output has no end');
  return { stdout: text('stdout'), stderr: text('stderr'), ended, events };
}

export interface RunOptions {
  readonly language?: 'Bash' | 'JavaScript' | 'Python';
  readonly stdin?: string;
  readonly timeoutMs?: number;
  readonly limits?: Partial<RunRequest['limits']>;
  readonly proxyUrl?: string;
  readonly ports?: RunRequest['ports'];
  readonly takesLinks?: boolean;
}

export function runRequest(script: string, options: RunOptions = {}): RunRequest {
  const { language = 'Bash', stdin = '', timeoutMs = 60_000, limits, proxyUrl, ports = [], takesLinks } = options;
  return {
    script: { language, text: script, digest: `sha256:${sha256Hex(script)}` },
    stdin,
    timeoutMs,
    limits: { processes: 128, outputBytes: 1_048_576, ...limits },
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(takesLinks === undefined ? {} : { takesLinks }),
    ports,
  };
}

/** @param links  their texts, by path */
export function archive(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}): Buffer {
  const linked = Object.entries(links).map(([path, text]) =>
    Buffer.concat([frameHeaderBytes({ type: 'Link', path, sizeBytes: Buffer.byteLength(text) }), Buffer.from(text)]),
  );
  const frames = Object.entries(files).map(([path, content]) => {
    const sizeBytes = Buffer.byteLength(content);
    const header = { type: 'File', path, sizeBytes, isExecutable: false, isReadOnly: false } as const;
    return Buffer.concat([frameHeaderBytes(header), Buffer.from(content)]);
  });
  return Buffer.concat([...frames, ...linked, frameHeaderBytes({ type: 'End', sizeBytes: 0, skippedEntries: 0 })]);
}

function eventsOf(body: Buffer): readonly RunEvent[] {
  const lines = body.toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RunEvent);
}

function framesOf(body: Buffer): readonly ReceivedFrame[] {
  const decoder = new FrameDecoder();
  const parts = decoder.push(body);
  if (!parts.ok) throw new Error(parts.error.message);
  const finished = decoder.finish();
  if (!finished.ok) throw new Error(finished.error.message);
  const frames: { header: FrameHeader; content: string }[] = [];
  for (const part of parts.value) {
    const last = frames.at(-1);
    if (part.type === 'Header') frames.push({ header: part.header, content: '' });
    else if (last !== undefined) last.content += Buffer.from(part.bytes).toString('utf8');
  }
  return frames;
}
