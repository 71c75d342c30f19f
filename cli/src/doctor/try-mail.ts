/** Tries the mail servers of an Agent from its container, as `retainer mail check` does, for the doctor. */
import { MAIL_TRIALS, TRIAL_STATUSES } from '@retainer/agent-pod/mail/try-servers';
import { z } from 'zod';
import { AccessError } from '../access/agent-access.ts';
import { collector } from '../access/collector.ts';
import { inPodOfAgent } from '../access/open-access.ts';
import type { Output } from '../output.ts';
import { placeOf } from './check-result.ts';
import type { Facts, TriedMail } from './facts.ts';
import { hasMail } from './mail-check.ts';

/** What the command line beside the agent prints; the agent's container is not believed further. */
const Results = z.array(
  z.object({ trial: z.enum(MAIL_TRIALS), status: z.enum(TRIAL_STATUSES), seen: z.string().max(1_000) }),
);

export interface TryMailFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Nothing of Agents without mail. */
export async function tryMail(
  { ofAgents: { agents } }: Facts,
  flags: TryMailFlags,
  output: Output,
): Promise<readonly TriedMail[]> {
  const found = agents.type === 'Seen' ? agents.value.filter(hasMail) : [];
  const tried: TriedMail[] = [];
  for (const agent of found) {
    const { namespace = '', name } = agent.metadata;
    const place = { ...flags, namespace, agent: name, output: 'json' };
    tried.push({ agent: placeOf(agent), ...(await tryOne(place, output)) });
  }
  return tried;
}

type Place = TryMailFlags & { readonly namespace: string; readonly agent: string; readonly output: string };

async function tryOne(place: Place, output: Output): Promise<Omit<TriedMail, 'agent'>> {
  const out = collector();
  const err = collector();
  const streams = { out: out.stream, err: err.stream };
  try {
    await inPodOfAgent(place, { words: ['mail', 'check', '--mounted'], triesMail: true }, { output, streams });
    const results = Results.safeParse(parsed(out.text()));
    return results.success ? { results: results.data } : { results: [], why: firstLine(err.text()) };
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return { results: [], why: firstLine(error.message) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line === '' ? 'the container gave no answer' : line;
}
