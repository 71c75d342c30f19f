/** A real record on the disk of runs in which the gates had something to say: taken by real agents, with a scripted model. */
import { join } from 'node:path';
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import type { JournalRecord } from '@retainer/journal/journal';
import { agentDefinition, characterSpec, scripted, task } from './agents.ts';
import { citingRule, oneStepRule } from './runs.ts';
import { openedAgent } from './opened-agent.ts';

const script = String.raw`
version: 1
rules:${oneStepRule}
  - name: the first attempt does not please
    when: {role: agent-validator, task: 'draft.md'}
    answer: {text: '<attempt><verdict criterion="1" met="false" failureClass="Logical"><reason>too short</reason></verdict><whatWasWrong>too short</whatWasWrong><whatToDo>Write more.</whatToDo></attempt>'}
${citingRule}
  - name: a refused call
    when: {role: executor, task: 'Change the data', turn: 1}
    answer: {calls: [{tool: write_file, input: {path: data/a.csv, content: forged}}]}
  - name: a call whose record does not fit into a line
    when: {role: executor, task: 'Write a long page', turn: 1}
    answer: {calls: [{tool: write_file, input: {path: page.md, content: '${'long '.repeat(20_000)}'}}]}
  - name: a call that waits for a person
    when: {role: executor, task: 'Write a note', turn: 1}
    answer: {calls: [{tool: write_file, input: {path: notes/a.md, content: hello}}]}
  - name: the attempt that is corrected
    when: {role: executor, task: '(?s)Write a report.*This is attempt 2', turn: 1}
    answer: {calls: [{tool: write_file, input: {path: report.md, content: '42'}}]}
  - name: the attempt that does not please
    when: {role: executor, task: 'Write a report', turn: 1}
    answer: {calls: [{tool: write_file, input: {path: draft.md, content: '4'}}]}
  - name: a text that may not leave
    when: {role: executor, task: 'Tell the word'}
    answer: {text: 'The word is xyzzy.'}
  - name: much is found in some texts
    when: {role: gate-scorer, task: 'Say xyzzy'}
    answer: {text: ['<forecasts>', {each: {of: system, pattern: '(?m)^- (?P<feature>[a-z][a-z0-9_]*): '}, text: '<forecast feature="{{each.feature}}" magnitude="3"><rationale>It is.</rationale></forecast>'}, '</forecasts>']}
  - name: nothing is found in the others
    when: {role: gate-scorer}
    answer: {text: ['<forecasts>', {each: {of: system, pattern: '(?m)^- (?P<feature>[a-z][a-z0-9_]*): '}, text: '<forecast feature="{{each.feature}}" magnitude="0"><rationale>It is not.</rationale></forecast>'}, '</forecasts>']}
  - name: what the text of a probe is about
    when: {role: [gate-probe-hijack, gate-probe-leakage]}
    answer: {text: It is about words.}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

const rule = (pattern: string): object => ({
  rules: [{ id: 'word', description: 'A word.', pattern, verdict: 'Reject', reason: 'It is not said.' }],
});

/** Refuses a word in what comes in, another in what goes out; asks before notes, never changes data. */
export const strictCharacter = characterSpec({
  gatePolicies: { input: rule('plugh'), output: rule('xyzzy') },
});

/** As the strict one, but that it lets every word pass. */
export const mildCharacter = characterSpec();

const scoring = (name: string): object => ({
  canary: true,
  features: [{ name, description: 'What is looked for.', importance: 5, critical: true, level: 'EthicalMoral' }],
});

/** Has a model score what comes in, what is done and what goes out. */
export const scoredCharacter = characterSpec({
  gatePolicies: { input: scoring('injection'), tool: scoring('harm'), output: scoring('untruth') },
});

export const intents = {
  plain: 'Say hello.',
  refused: 'Change the data.',
  approved: 'Write a note.',
  corrected: 'Write a report.',
  unsaid: 'Tell the word.',
  unheard: 'Say plugh.',
  again: 'Say hello again.',
  long: 'Write a long page.',
  vile: 'Say xyzzy.',
} as const;

type Intent = keyof typeof intents;

/** Takes the Tasks one after the other, each to its end; every call that waits for a person gets its leave. */
export async function recordRuns(
  dataDirectory: string,
  character: CharacterSpec,
  names: readonly Intent[],
): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  const opened = await openedAgent({
    definition: agentDefinition({ control: { maxReplans: 0 } }, character),
    dataDirectory,
    model: await scripted(script),
    onRecord: (record) => {
      records.push(record);
      if (record.kind === 'ApprovalRequested') approve(record);
    },
  });
  const { runtime } = opened;
  const approve = ({ payload }: JournalRecord): void => {
    const { requestId, argumentsDigest } = payload as { requestId: string; argumentsDigest: string };
    const decision = { decision: 'Approve', by: 'ada', reason: 'read it' } as const;
    void runtime.accept(`approval:${requestId}`, 'test', {
      type: 'DecideApproval',
      requestId,
      argumentsDigest,
      ...decision,
    });
  };
  for (const name of names) {
    const criteria = name === 'corrected' ? { successCriteria: [{ text: 'There is a report' }] } : {};
    const { runId } = await opened.submitTask(task(name, intents[name], criteria), 'test');
    await runtime.closed(runId);
  }
  await opened.close();
  return records;
}

export function journalOf(dataDirectory: string): string {
  return join(dataDirectory, 'journal');
}
