/**
 * Servers on loopback that speak the Messages API and answer every role of one Task: write 42 into sum.txt. They differ in what they
 * take and in how they say it.
 */
import { z } from 'zod';
import {
  nothingFound,
  refused,
  startMessagesServer,
  type MessagesServer,
  type PlayedBlock,
  type Play,
} from './messages-server.ts';

const Body = z.object({
  model: z.string(),
  system: z.array(z.object({ type: z.literal('text'), text: z.string() })).default([]),
  messages: z.array(z.object({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) })),
  output_config: z.object({ format: z.looseObject({}).optional(), effort: z.string().optional() }).optional(),
  thinking: z.object({ type: z.string() }).optional(),
  temperature: z.number().optional(),
});
export type AskedBody = z.infer<typeof Body>;

const DUTIES = {
  perceiver: 'You say what is wanted.',
  validator: 'You judge whether one step',
  merger: 'You put the results of all steps',
  probe: 'You say in one English sentence',
  scorer: 'You rate one thing',
} as const;

export type AskedRole = keyof typeof DUTIES | 'worker';

export function roleOf({ system }: AskedBody): AskedRole {
  const text = system.map((block) => block.text).join('\n');
  const roles = Object.keys(DUTIES) as (keyof typeof DUTIES)[];
  return roles.find((role) => text.includes(DUTIES[role])) ?? 'worker';
}

export function bodyOf(request: { readonly body: unknown }): AskedBody {
  return Body.parse(request.body);
}

const verdict = { criterion: 1, met: true, evidence: ['t1'], reason: 'The call wrote 42.' };

const objects: Partial<Record<AskedRole, unknown>> = {
  perceiver: {
    perception: { kind: 'Task', slug: 'sum', intent: 'Write 42 into sum.txt.', shape: 'SingleStep', assumptions: [] },
  },
  validator: { verdicts: [verdict], whatWasWrong: '', whatToDo: '' },
};

const documents: Partial<Record<AskedRole, string>> = {
  perceiver:
    '<perception><task shape="SingleStep" slug="sum"><intent>Write 42 into sum.txt.</intent></task></perception>',
  validator:
    '<attempt><verdict criterion="1" met="True"><reason>The call wrote 42 & no more.</reason><evidence>t1</evidence></verdict></attempt>',
};

function hasResult({ messages }: AskedBody): boolean {
  return messages.some(({ content }) => content.some(({ type }) => type === 'tool_result'));
}

const writes: PlayedBlock = {
  type: 'tool_use',
  id: 'toolu_1',
  name: 'write_file',
  input: { path: 'sum.txt', content: '42\n' },
};

export const SEAL = 'sealed-by-the-provider';

function said(text: string): Play {
  return { kind: 'Answer', content: [{ type: 'text', text }], stopReason: 'end_turn' };
}

/** What a validator answers that is not content. */
export const unmet: Play = said(
  JSON.stringify({
    verdicts: [{ ...verdict, met: false, failureClass: 'Logical', evidence: [], reason: 'It is not there.' }],
    whatWasWrong: 'It is not there.',
    whatToDo: 'Write it.',
  }),
);

/** Takes schemas, thinking and caching as today's models do, and refuses a temperature and lost thoughts. */
export function fullAnswer(body: AskedBody): Play {
  if (body.temperature !== undefined) return refused('temperature is deprecated for this model');
  if (roleOf(body) === 'worker') return worked(body, body.thinking?.type === 'adaptive');
  const object = objects[roleOf(body)];
  if (object === undefined) return asked(body);
  return body.output_config?.format === undefined ? refused('this test wants a schema') : said(JSON.stringify(object));
}

function worked(body: AskedBody, isThinking: boolean): Play {
  if (!hasResult(body)) {
    const thought: PlayedBlock = { type: 'thinking', thinking: 'I write it.', signature: SEAL };
    return { kind: 'Answer', content: [...(isThinking ? [thought] : []), writes], stopReason: 'tool_use' };
  }
  const sealed = body.messages.some(({ content }) => content.some((it) => it['signature'] === SEAL));
  return isThinking && !sealed ? refused('a thinking block must precede tool_use') : said('I wrote 42 into sum.txt.');
}

function asked(body: AskedBody): Play {
  const scored = nothingFound(body);
  return scored === undefined
    ? said('The text asks for a file.')
    : { kind: 'Answer', content: scored, stopReason: 'end_turn' };
}

const TAKEN: ReadonlySet<string> = new Set(['model', 'max_tokens', 'stream', 'system', 'messages', 'tools']);

/** Knows no schema, no forced call, no thinking and no cache, and talks around its XML. */
export function plainAnswer(raw: object): Play {
  const unknown = Object.keys(raw).find((field) => !TAKEN.has(field));
  if (unknown !== undefined) return refused(`${unknown}: Extra inputs are not permitted`);
  if (JSON.stringify(raw).includes('"cache_control"')) return refused('cache_control: Extra inputs are not permitted');
  const body = Body.parse(raw);
  if (roleOf(body) === 'worker') return worked(body, false);
  const document = documents[roleOf(body)];
  if (document === undefined) return asked(body);
  return said(`<think>What do they want?</think>Sure, here it is:\n\n\`\`\`xml\n${document}\n\`\`\`\nDoes that help?`);
}

export function startAnswering(answer: (body: object) => Play): Promise<MessagesServer> {
  return startMessagesServer(({ body }) => answer(body));
}

export const overloaded: Play = {
  kind: 'Status',
  status: 529,
  body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
};
