/** What the specs of runs and of cycles lacked. */
import type { Json } from '@retainer/contract/std/canonical-json';
import { z } from 'zod';
import { changed, withChanged, type Fields } from './fields.ts';

/** Long untrusted texts had no reader; whoever is asked whether a text hijacks a model reads them. */
function withReader(gates: Json): Json {
  return changed(gates, (fields) => {
    const { canary } = fields;
    return canary === undefined ? fields : { reader: canary, ...fields };
  });
}

/** Requests of a cycle had nothing in common with others of its run: its own texts, its own tools. */
export function cycleSpec(older: Json): Json {
  return changed(older, (fields) => {
    const { tools = [] } = fields;
    return { shared: { identity: '', task: '', tools }, ...withChanged(fields, 'gates', withReader) };
  });
}

/** There were no workers besides the executor, whose texts began with who the agent is. */
export function runSpec(older: Json): Json {
  return changed(older, (fields) => {
    const told = withChanged(fields, 'session', (session) => changed(session, trustedTurns));
    return { workers: [], identity: identityOf(fields), ...withChanged(told, 'gates', withReader) };
  });
}

/** Only Tasks were worked on, and each result went to the status of its Task. */
export function runSpecWithCause(older: Json): Json {
  return changed(older, ({ scheduled, ...fields }) => {
    return {
      cause: { kind: 'Task', ...(scheduled === undefined ? {} : { scheduled }) },
      replyTo: { channel: 'TaskStatus', target: targetOf(fields) },
      conversation: 'tasks',
      ...fields,
    };
  });
}

const Named = z.object({ task: z.object({ namespace: z.string(), name: z.string() }) });

function targetOf(fields: Fields): string {
  const named = Named.safeParse(fields);
  return named.success ? `${named.data.task.namespace}/${named.data.task.name}` : '';
}

/** The words of a run that had read untrusted text were shown as data; now they are left out. */
function trustedTurns(session: Fields): Json {
  const { turns } = session;
  if (!Array.isArray(turns)) return session;
  return { ...session, turns: turns.map((turn: Json) => changed(turn, withoutUntrusted)) };
}

function withoutUntrusted(turn: Fields): Json {
  const { untrusted: _, ...own } = turn;
  return own;
}

/** Identity, duties, perhaps skills. */
const Executor = z.object({ Executor: z.object({ system: z.array(z.object({ text: z.string() })) }) });

function identityOf({ roles }: Fields): string {
  const parsed = Executor.safeParse(roles);
  const [first, ...others] = parsed.success ? parsed.data.Executor.system : [];
  return first === undefined || others.length === 0 ? '' : first.text;
}
