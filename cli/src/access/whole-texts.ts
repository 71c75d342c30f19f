/** The status of a Task holds the head and tail of a long call: a person decides on the whole, which the record has. */
import { z } from 'zod';
import { AccessError, type WaitingRequest } from './agent-access.ts';
import type { ClusterTasks } from './cluster-tasks.ts';
import type { PodRecord } from './pod-record.ts';

/** As `effectText` marks what it leaves out. */
const LEFT_OUT = 'characters are not shown here';

/** What `retainer approve -o json` prints beside the agent. */
const Recorded = z.array(
  z.object({
    requestId: z.string(),
    argumentsDigest: z.string(),
    reason: z.string(),
    effect: z.object({ line: z.string(), details: z.array(z.string()) }),
  }),
);
type Recorded = z.infer<typeof Recorded>;

/** @returns the calls as they are, if none is cut; a call that stays cut says so and why */
export async function wholeTexts(
  calls: readonly WaitingRequest[],
  tasks: ClusterTasks,
  record: PodRecord,
): Promise<readonly WaitingRequest[]> {
  const whole: WaitingRequest[] = [];
  for (const call of calls) whole.push(isCut(call) ? await wholeText(call, tasks, record) : call);
  return whole;
}

function isCut({ effect }: WaitingRequest): boolean {
  return effect.some((line) => line.includes(LEFT_OUT));
}

async function wholeText(call: WaitingRequest, tasks: ClusterTasks, record: PodRecord): Promise<WaitingRequest> {
  try {
    const { spec } = await tasks.find(call.task);
    const recorded = Recorded.parse(
      JSON.parse(await record.text(spec.agentRef.name, { words: ['approve', '-o', 'json'] })),
    );
    const found = recorded.find((it) => it.requestId === call.requestId && it.argumentsDigest === call.argumentsDigest);
    if (found === undefined) return { ...call, effect: [...call.effect, 'the record does not have this call yet'] };
    const { line, details } = found.effect;
    const said = call.effect.filter((it) => it.startsWith('the agent says: '));
    return { ...call, reason: found.reason, effect: [`effect: ${line}`, ...details.map((it) => `  ${it}`), ...said] };
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    const why = error.message.split('\n').map((it) => `  ${it}`);
    return { ...call, effect: [...call.effect, 'the whole text stands in the record only:', ...why] };
  }
}
