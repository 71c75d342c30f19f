/** The status of a Task holds the head and tail of a long call: a person decides on the whole, which the record has. */
import type { Task } from '@retainer/contract/api/task';
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

type AgentTasks = Pick<ClusterTasks, 'list' | 'find'>;
type AgentRecords = Pick<PodRecord, 'text'>;

/** @returns the calls as they are, if none is cut; a call that stays cut says so and why */
export async function wholeTexts(
  calls: readonly WaitingRequest[],
  tasks: AgentTasks,
  record: AgentRecords,
): Promise<readonly WaitingRequest[]> {
  const recordedOf = askOnce(tasks, record);
  const whole: WaitingRequest[] = [];
  for (const call of calls) whole.push(isCut(call) ? await wholeText(call, recordedOf) : call);
  return whole;
}

type RecordedOf = (task: string) => Promise<Recorded>;

/** What the record of a Task's agent has. One list names all agents, and one answer of an agent holds all its calls. */
function askOnce(tasks: AgentTasks, record: AgentRecords): RecordedOf {
  const byAgent = new Map<string, Promise<Recorded>>();
  let listed: Promise<readonly Task[]> | undefined;
  return async (task) => {
    listed ??= tasks.list();
    const { name } = (await tasks.find(task, listed)).spec.agentRef;
    const asked = byAgent.get(name) ?? recordedBy(name, record);
    byAgent.set(name, asked);
    return asked;
  };
}

async function recordedBy(agent: string, record: AgentRecords): Promise<Recorded> {
  return Recorded.parse(JSON.parse(await record.text(agent, { words: ['approve', '-o', 'json'] })));
}

function isCut({ effect }: WaitingRequest): boolean {
  return effect.some((line) => line.includes(LEFT_OUT));
}

async function wholeText(call: WaitingRequest, recordedOf: RecordedOf): Promise<WaitingRequest> {
  try {
    const recorded = await recordedOf(call.task);
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
