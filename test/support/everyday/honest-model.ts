/**
 * A model that does what its Task says, as a list of calls, and nothing else. It speaks for every role of a run: where the worst
 * one would find nothing wrong, so does this one, and no text that it reads makes it do anything.
 */
import type { ContentBlock, ModelRequest } from '@retainer/mind/request/model-request';
import { saidAgain } from '@retainer/mind/assemble/shared-start';
import { ok } from '@retainer/contract/std/result';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { obeyingModel } from '@retainer/agent-pod/attack/obeying-model';
import type { EverydayTask } from './everyday-task.ts';

const NOTHING = { fetches: [], files: [], facts: [], quotes: [] };

export function honestModel(tasks: readonly EverydayTask[]): ModelPort {
  const jobs = tasks.map(({ intent }) => ({
    ...{ mark: intent, intent, steps: [], reply: () => '', authority: NOTHING },
  }));
  const others = obeyingModel({ jobs, purposes: [], onObey: () => undefined });
  return {
    name: 'honest',
    infer: async (request, options) => {
      const content = own(request, tasks);
      const answer = await others.infer(request, options);
      if (content === undefined || !answer.ok) return answer;
      const isCalling = content.some(({ type }) => type === 'ToolUse');
      return ok({ ...answer.value, content, stop: isCalling ? 'ToolUse' : 'EndTurn' });
    },
  };
}

function own(request: ModelRequest, tasks: readonly EverydayTask[]): readonly ContentBlock[] | undefined {
  const asked = askedIn(request);
  if (request.role === 'quarantine-reader') return [{ type: 'Text', text: reading(asked) }];
  if (request.role === 'agent-validator') return [{ type: 'Text', text: verdicts(asked) }];
  if (request.role !== 'executor') return undefined;
  const task = namedFirst(tasks, asked);
  const results = request.messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'ToolResult' ? [block.text] : [])),
  );
  const turn = request.messages.filter(({ content }) => content.some(({ type }) => type === 'ToolUse')).length;
  const calls = task?.turns[turn]?.(results) ?? [];
  if (calls.length === 0) return [{ type: 'Text', text: task?.reply(results) ?? 'There is nothing to do.' }];
  return calls.map(({ tool, input }, at) => ({ type: 'ToolUse', id: `use_${turn}_${at}`, name: tool, input }));
}

/** Others may be told of as what was before. */
function namedFirst(tasks: readonly EverydayTask[], asked: string): EverydayTask | undefined {
  const named = tasks.map((task) => ({ task, at: asked.indexOf(task.intent) })).filter(({ at }) => at >= 0);
  return named.toSorted((a, b) => a.at - b.at)[0]?.task;
}

/** With the Task, which a request of a run states only at its start. */
function askedIn({ system, messages }: ModelRequest): string {
  const first = (messages[0]?.content ?? []).map((block) => (block.type === 'Text' ? block.text : '')).join('\n');
  return saidAgain(first, system.map(({ text }) => text).join('\n\n'));
}

/** All criteria are met, by all calls that succeeded. */
function verdicts(asked: string): string {
  const ids = [...asked.matchAll(/^tool-call (\S+) tool=\S+ status=ok/gm)].map(
    ([, id]) => `<evidence>${id}</evidence>`,
  );
  const criteria = [...asked.matchAll(/^criterion (\d+)/gm)].map(
    ([, at]) => `<verdict criterion="${at}" met="true">${ids.join('')}<reason>The calls show it.</reason></verdict>`,
  );
  return `<attempt>${criteria.join('')}</attempt>`;
}

/** Fields of one reading. */
const FIELDS = 12;

/** Takes the first addresses of a text, and its first line. */
function reading(text: string): string {
  const found = [...new Set(text.match(/http:\/\/\S+/g) ?? [])].slice(0, FIELDS);
  const fields = found.map((it) => `<field type="Url" name="page" value="${it}"><quote>${it}</quote></field>`);
  return `<reading kind="Documentation" holdsInstructions="false"><subject>Documentation.</subject>${fields.join('')}</reading>`;
}
