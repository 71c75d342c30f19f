/** A cycle that talks with a server of a model over the wire, and whose record is read again afterwards. */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { openModel } from '@retainer/agent-pod/infer/open-model';
import type { ModelAnswer } from '@retainer/mind/request/model-request';
import { isCycleInput, type CycleEvent, type CycleInput } from '@retainer/mind/cycle/event';
import { CycleUnderTest, cycleSpec, facts } from './cycles.ts';
import { manualClock } from './manual-clock.ts';
import { startMessagesServer, type Play } from './messages-server.ts';

/** Pauses between tries are shorter, the watch over a silent model sleeps longer. */
const PAUSE_MS_MAX = 20_000;

export interface Talk {
  readonly events: readonly CycleEvent[];
  readonly answers: readonly ModelAnswer[];
  /** Requests that reached the server. */
  readonly requests: number;
  readonly bodies: readonly string[];
}

/** Plays each of the plays, in their order, until the cycle ends. Fails where the server refuses, or the record differs. */
export async function talk(plays: readonly Play[]): Promise<Talk> {
  const server = await startMessagesServer(plays);
  const clock = manualClock();
  const settings = { provider: 'Anthropic', apiKey: 'sk-test', baseURL: server.url } as const;
  const model = await openModel(settings, { clock, random: () => 0 });
  if (!model.ok) throw new Error(model.error.join('\n'));
  const { limits } = cycleSpec();
  const cycle = new CycleUnderTest({
    limits: { ...limits, tokens: 1e9, contextTokens: 1e6, costUsd: 1e9, toolCalls: 99 },
  });
  const answers: ModelAnswer[] = [];
  for (let event = lastRequest(cycle); event !== undefined; event = lastRequest(cycle)) {
    const { callId, request } = event;
    const signal = new AbortController().signal;
    const outcome = model.value.infer(request, { callId, signal, timeoutMs: 120_000 });
    const result = await paused(outcome, clock);
    const atMs = cycle.tick();
    if (result.ok) answers.push(result.value);
    cycle.when(
      result.ok
        ? { kind: 'ModelAnswered', atMs, callId, answer: result.value as never, costUsd: 0 }
        : { kind: 'ModelFailed', atMs, callId, failure: result.error },
    );
    for (const id of cycle.state?.pendingTools ?? []) cycle.finish(id, `result of ${id}`);
  }
  await server.close();
  const bodies = server.received.map(({ body }) => JSON.stringify(body));
  const told = { events: cycle.events, answers, requests: server.received.length, bodies };
  compareDigests(told);
  compareRecord(told);
  return told;
}

function lastRequest({ events, state }: CycleUnderTest): Extract<CycleEvent, { kind: 'ModelRequested' }> | undefined {
  const last = events.findLast((event) => event.kind === 'ModelRequested');
  return state?.pendingModelCall === last?.callId ? last : undefined;
}

async function paused<T>(outcome: Promise<T>, clock: ReturnType<typeof manualClock>): Promise<T> {
  let isDone = false;
  const mark = (): void => {
    isDone = true;
  };
  outcome.then(mark, mark);
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    const pauseMs = clock.sleeping().find((durationMs) => durationMs < PAUSE_MS_MAX);
    if (pauseMs !== undefined) clock.advance(pauseMs);
  }
  return outcome;
}

/** The tool gets what the gate judged, what the record keeps, and what the server reads in the next request; so with texts. */
function compareDigests({ events, answers, bodies }: Talk): void {
  const said = answers.slice(0, -1).flatMap(({ content }) => content.filter((block) => block.type === 'Text'));
  for (const { text } of said)
    if (!bodies.some((body) => body.includes(JSON.stringify({ type: 'text', text }))))
      throw new Error(`no request says ${JSON.stringify(text)}`);
  for (const event of events) {
    if (event.kind !== 'ToolRequested') continue;
    const recorded = JSON.parse(JSON.stringify(event.input)) as unknown;
    const digests = [event.input, recorded].map((input) => facts(event.tool, input).argumentsDigest);
    if (digests.some((it) => it !== event.argumentsDigest)) throw new Error(`digests of ${event.callId} differ`);
    const sent = JSON.stringify(event.input);
    if (!bodies.some((body) => body.includes(`"name":${JSON.stringify(event.tool)},"input":${sent}`)))
      throw new Error(`no request says ${canonicalJson(event.input)}`);
  }
}

/** The record, written and read, leads to the same decisions. */
function compareRecord({ events }: Talk): void {
  const read = JSON.parse(JSON.stringify(events)) as readonly CycleEvent[];
  const [started] = read;
  if (started?.kind !== 'CycleStarted') throw new Error('no start');
  const again = new CycleUnderTest(started.spec);
  for (const input of read.slice(1).filter((it): it is CycleInput => isCycleInput(it))) again.when(input);
  if (canonicalJson(again.events) !== canonicalJson(read)) throw new Error('the record leads to other decisions');
}
