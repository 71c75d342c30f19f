/** What the gates of the shipped character ask models about a plain Task: one call, an answer, a verdict. */
import { describe, expect } from 'vitest';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { agentDefinition, characterSpec, inTemporaryDirectory, scripted, task } from '../support/agents.ts';
import { GATE_RULES } from '../support/gate-rules.ts';
import { citingRule, oneStepRule } from '../support/runs.ts';
import { shippedCharacter } from '../support/shipped-character.ts';
import { verifies } from '../verifies.ts';
import { openedAgent } from '../support/opened-agent.ts';

const script = (calls: string): string => String.raw`
version: 1
rules:${oneStepRule}
${citingRule}
  - name: the work
    when: {role: executor, turn: 1}
    answer: {calls: [${calls}]}
  - name: the answer
    when: {role: executor}
    answer: {text: The note is in note.md.}
${GATE_RULES}
`;

const write = (path: string): string => `{tool: write_file, input: {path: ${path}, content: A note.}}`;

/** The roles that were asked, in the order in which they were, before the person had the reply. */
async function asked(calls: string): Promise<readonly string[]> {
  const roles: string[] = [];
  const scriptedModel = await scripted(script(calls));
  const model: ModelPort = {
    name: scriptedModel.name,
    infer: (request, options) => {
      roles.push(request.role);
      return scriptedModel.infer(request, options);
    },
  };
  await inTemporaryDirectory(async (dataDirectory) => {
    const opened = await openedAgent({
      definition: agentDefinition({}, characterSpec(shippedCharacter())),
      dataDirectory,
      model,
    });
    const { runId } = await opened.submitTask(
      task('note', 'Write a note.', { successCriteria: [{ text: 'note.md holds a note.' }] }),
      'test',
    );
    await opened.runtime.closed(runId);
    await opened.close();
  });
  return roles.filter((role) => role !== 'archivist');
}

describe('a plain Task under the shipped character', () => {
  const six = ['perceiver', 'executor', 'gate-scorer', 'executor', 'gate-scorer', 'agent-validator'];

  verifies('gate:plain-task-cost', 'asks models six times, each after the one before', async () => {
    expect(await asked(write('note.md'))).toEqual(six);
  });

  verifies('gate:plain-task-cost', 'asks no more often with four calls in one answer', async () => {
    expect(await asked(['note.md', 'b.md', 'c.md', 'd.md'].map(write).join(', '))).toEqual(six);
  });
});
