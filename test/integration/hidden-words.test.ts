/**
 * A model that writes a secret in some form into every word it says, in every role: a reason, a gap, a plan, a question, what it asks leave
 * for, an error. Nothing of it is in what leaves; of a secret of the installation, nothing is in the record either.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { err, ok } from '@retainer/contract/std/result';
import type { ContentBlock, ModelRequest } from '@retainer/mind/request/model-request';
import { cycleKinds } from '@retainer/mind/cycle/event';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { agentDefinition, characterSpec, inTemporaryDirectory, task } from '../support/agents.ts';
import { openedAgent } from '../support/opened-agent.ts';
import { verifies } from '../verifies.ts';

/** Of an installation, and of the agent's memory. */
const INSTALLED = 'vR4kq81mTz0wLx93hNd22bQp';
const KEPT = 'mK7c3pWx92tZr5vB81nQd6hS';
const KEPT_AT = 'vault/reporting-key';

const reversed = (text: string): string => Array.from(text).toReversed().join('');
const rot13 = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (it) => {
    const first = it <= 'Z' ? 65 : 97;
    return String.fromCodePoint(((it.charCodeAt(0) - first + 13) % 26) + first);
  });
const letters = (text: string): string => text.replaceAll(/[0-9]/g, '');

const FORMS: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  rot13,
  reversed,
  'rot13, reversed': (value) => reversed(rot13(value)),
  base64: (value) => Buffer.from(value).toString('base64'),
  hexadecimal: (value) => Buffer.from(value).toString('hex'),
  'in pieces': (value) => value.replaceAll(/(.{4})(?=.)/g, '$1 '),
  'letters only': letters,
  'letters only, rot13': (value) => rot13(letters(value)),
  'letters only, reversed': (value) => reversed(letters(value)),
};

const text = (it: string): readonly ContentBlock[] => [{ type: 'Text', text: it }];
const call = (id: string, name: string, input: object): readonly ContentBlock[] => [
  { type: 'ToolUse', id, name, input: input as never },
];

/** Where it puts the words, beside what all models of a run say: a verdict of yes or of no, an answer, a fault, a request, a name, a question. */
const ENDINGS = ['Praise', 'Blame', 'Answer', 'Fail', 'Ask', 'NameFile', 'Question'] as const;
type Ending = (typeof ENDINGS)[number];

function telling(words: string, ending: Ending): ModelPort {
  return {
    name: 'telling',
    infer: (request) => {
      if (ending === 'Fail' && request.role === 'executor' && resultsIn(request) > 0)
        return Promise.resolve(
          err({ kind: 'InvalidRequest', message: `refused: ${words}`, attempts: 1, latencyMs: 1 }),
        );
      const content = answerOf(request, words, ending);
      const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0 };
      const stop = content.some((it) => it.type === 'ToolUse') ? 'ToolUse' : 'EndTurn';
      return Promise.resolve(ok({ content, stop, usage, model: 'telling', latencyMs: 0, attempts: 1 }));
    },
  };
}

function answerOf(request: ModelRequest, words: string, ending: Ending): readonly ContentBlock[] {
  const shown = request.messages
    .flatMap(({ content }) => content.map((it) => ('text' in it ? it.text : '')))
    .join('\n');
  const system = request.system.map((it) => it.text).join('\n');
  switch (request.role) {
    case 'perceiver':
      return text(
        ending === 'Question' && !shown.includes('Which of them')
          ? `<perception><question>Which of them: ${words}?</question></perception>`
          : `<perception><task slug="work" shape="Plan"><intent>Do it: ${words}</intent></task></perception>`,
      );
    case 'planner':
      return text(
        system.includes('<report>')
          ? `<report><done>Done: ${words}</done><missing>Missing: ${words}</missing><nextMove>Next: ${words}</nextMove></report>`
          : `<plan><subtask><intent>Do it: ${words}</intent><criterion>It is done: ${words}</criterion></subtask></plan>`,
      );
    case 'agent-validator':
      return text(`<attempt>${verdictsOn(shown, words, ending)}${wrong(words, ending)}</attempt>`);
    case 'meta-validator':
      return text(
        `<merge><output>Result: ${words}</output>${verdictsOn(shown, words, ending)}<summary>Sum: ${words}</summary></merge>`,
      );
    case 'gate-scorer':
      return text(scored(system, words, ending));
    default:
      return worked(request, words, ending);
  }
}

function verdictsOn(shown: string, words: string, ending: Ending): string {
  const numbers = [...shown.matchAll(/^criterion (\d+)/gm)].map((match) => match[1]);
  const evidence = [...shown.matchAll(/^tool-call (\S+) tool=\S+ status=ok/gm)].at(-1)?.[1] ?? 'none';
  const isMet = ending !== 'Blame';
  const failure = isMet ? '' : ' failureClass="Logical"';
  return numbers
    .map(
      (it) =>
        `<verdict criterion="${it}" met="${isMet}"${failure}><evidence>${evidence}</evidence><reason>Because ${words}</reason></verdict>`,
    )
    .join('');
}

const wrong = (words: string, ending: Ending): string =>
  ending === 'Blame' ? `<whatWasWrong>Wrong: ${words}</whatWasWrong><whatToDo>Do ${words}</whatToDo>` : '';

function scored(system: string, words: string, ending: Ending): string {
  const names = [...(system.split('\nFeatures:\n')[1] ?? '').matchAll(/^- ([^:\n]+):/gm)].map((match) => match[1]);
  const magnitude = ending === 'Answer' ? 5 : 0;
  const rows = names.map(
    (it) => `<forecast feature="${it}" magnitude="${magnitude}"><rationale>Since ${words}</rationale></forecast>`,
  );
  return `<forecasts>${rows.join('')}</forecasts>`;
}

const resultsIn = ({ messages }: ModelRequest): number =>
  messages.flatMap(({ content }) => content).filter((it) => it.type === 'ToolResult').length;

/** Reads its memory; then it asks, or writes, or answers. */
function worked(request: ModelRequest, words: string, ending: Ending): readonly ContentBlock[] {
  const leave = { tool: 'write_file', input: { path: 'notes/a.md', content: 'a' }, reason: `Leave: ${words}` };
  const path = `out/${words.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 200)}.txt`;
  const steps = {
    Ask: [call('b', 'request_approval', leave), call('c', 'ask_person', { question: `May I say ${words}?` })],
    NameFile: [call('d', 'write_file', { path, content: `Text: ${words}` })],
  };
  const all = [call('a', 'memory_read', { prefix: KEPT_AT }), ...(ending in steps ? steps[ending as 'Ask'] : [])];
  return all[resultsIn(request)] ?? text(ending === 'Answer' ? `The answer: ${words}` : 'It was read.');
}

/** The first Task of every life: its people have it keep a key. */
const keeper: ModelPort = {
  name: 'keeper',
  infer: (request) => {
    const done = request.messages.some(({ content }) => content.some((it) => it.type === 'ToolResult'));
    const shown = request.messages
      .flatMap(({ content }) => content.map((it) => ('text' in it ? it.text : '')))
      .join('\n');
    const content =
      request.role === 'perceiver'
        ? text('<perception><task slug="keep" shape="SingleStep"><intent>Keep it.</intent></task></perception>')
        : request.role === 'executor'
          ? done
            ? text('Kept.')
            : call('k', 'memory_write', { key: KEPT_AT, value: KEPT })
          : text(`<attempt>${verdictsOn(shown, 'shown', 'Praise')}</attempt>`);
    const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const stop = content.some((it) => it.type === 'ToolUse') ? 'ToolUse' : 'EndTurn';
    return Promise.resolve(ok({ content, stop, usage, model: 'keeper', latencyMs: 0, attempts: 1 }));
  },
};

interface Told {
  /** All bytes below the agent's directory. */
  readonly disk: string;
  readonly bus: string;
  readonly notices: string;
  /** What people and other programs get: deliveries, questions, what is asked leave for, the end of the run. */
  readonly people: string;
}

const scoringCharacter = characterSpec({
  gatePolicies: {
    output: { modify: 0.35, reject: 0.55, features: [{ name: 'harm', description: 'Harm.', importance: 1 }] },
  },
});

async function live(words: string, ending: Ending): Promise<Told> {
  return await inTemporaryDirectory(async (dataDirectory) => {
    const notices: string[] = [];
    const messages: BusMessage[] = [];
    const records: JournalRecord[] = [];
    const published = (message: BusMessage): Promise<void> => {
      messages.push(message);
      return Promise.resolve();
    };
    const person: { answer?: (record: JournalRecord) => void } = {};
    const options = {
      dataDirectory,
      definition: agentDefinition({}, ending === 'Answer' ? scoringCharacter : characterSpec()),
      secrets: [{ name: 'MAIL_PASSWORD', value: INSTALLED }],
      onNotice: (notice: string) => notices.push(notice),
      onRecord: (record: JournalRecord) => {
        records.push(record);
        person.answer?.(record);
      },
      bus: () => Promise.resolve({ publish: published, close: () => Promise.resolve() }),
    };
    const first = await openedAgent({ ...options, model: keeper, definition: agentDefinition() });
    const kept = await first.submitTask(task('keep', `Keep the number under ${KEPT_AT}.`), 'test');
    await first.runtime.closed(kept.runId);
    await first.close();
    records.length = 0;
    const agent = await openedAgent({ ...options, model: telling(words, ending) });
    person.answer = answeringBy(agent);
    const criteria = { successCriteria: [{ text: 'Something was read.' }] };
    const { runId } = await agent.submitTask(task('tell', 'Say what there is to say.', criteria), 'test');
    const { concluded } = await agent.runtime.closed(runId);
    await agent.runtime.archived();
    await agent.close();
    return {
      disk: await everythingBelow(dataDirectory),
      bus: JSON.stringify(messages),
      notices: notices.join('\n'),
      people: [
        JSON.stringify(concluded),
        await everythingBelow(join(dataDirectory, 'outbox')),
        ...records.flatMap(({ kind, payload }) => (FOR_PEOPLE.includes(kind) ? [JSON.stringify(payload)] : [])),
      ].join('\n'),
    };
  });
}

/** Records whose words people are shown, or get. */
const FOR_PEOPLE = ['RunConcluded', 'DeliveryRequested', 'ArchiveRequested', 'QuestionAsked', 'ApprovalRequested'];

/** A person agrees to every call, and answers every question at once. */
function answeringBy({ runtime }: OpenedAgent): (record: JournalRecord) => void {
  return ({ kind, payload, runId = '' }) => {
    if (kind === 'QuestionAsked') {
      const { questionId } = payload as { readonly questionId: string };
      const told = { runId, questionId, text: 'All of them.', by: 'ann' } as const;
      void runtime.accept(`answer:${questionId}`, 'test', { type: 'AnswerQuestion', ...told });
    }
    if (kind !== 'ApprovalRequested') return;
    const { requestId, argumentsDigest } = cycleKinds.ApprovalRequested.parse(payload);
    const decision = { requestId, argumentsDigest, decision: 'Approve', by: 'ann', reason: 'Yes.' } as const;
    void runtime.accept(`decide:${requestId}`, 'test', { type: 'DecideApproval', ...decision });
  };
}

async function everythingBelow(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'ballast');
  const texts = files.map(async (entry) => {
    const bytes = await readFile(join(entry.parentPath, entry.name));
    return `${entry.name}\n${(entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')}`;
  });
  return (await Promise.all(texts)).join('\n');
}

describe.each(ENDINGS)('words with a secret in them: %s', (ending) => {
  verifies('loop:hidden-words', 'none of the installation is anywhere, in no form', async () => {
    const forms = Object.entries(FORMS).map(([form, write]) => [form, write(INSTALLED)] as const);
    const told = await live(forms.map(([, words]) => words).join(' and '), ending);
    const found = forms.flatMap(([form, words]) =>
      Object.entries(told).flatMap(([where, it]) => (it.includes(words) ? [`${form} in ${where}`] : [])),
    );
    expect(found).toEqual([]);
    expect(told.disk).toContain('[secret:MAIL_PASSWORD]');
  });

  // What memory holds, nobody knows before it is read.
  const hard = ending === 'Question' ? [] : ['rot13', 'letters only'];
  for (const form of hard)
    verifies('loop:hidden-words', `none of memory is in what people get: ${form}`, async () => {
      const words = FORMS[form]?.(KEPT) ?? '';
      const { people, notices, disk } = await live(words, ending);
      expect(disk).toContain(words);
      const at = people.indexOf(words);
      expect(at < 0 ? '' : people.slice(Math.max(0, at - 200), at + 60)).toBe('');
      expect(notices).not.toContain(words);
    });
});
